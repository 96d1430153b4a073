package binder

import (
	"fmt"
	"strings"

	"bindery/projector"
)

// nearest says what would make a volume fit.
func nearest(row Row) string {
	changes := make([]string, len(row.Failed))
	for i, f := range row.Failed {
		changes[i] = f.otherwise()
	}
	return fmt.Sprintf("%s would fit if %s", row.Volume, strings.Join(changes, " and "))
}

// otherwise is the volume's property as it would have to be, in words.
func (f Failure) otherwise() string {
	have := "it is " + f.Got
	if f.Got == "none" {
		have = "it has none"
	}
	switch f.Rule {
	case CheckClaimRef:
		return "it were not reserved for " + f.Got
	case CheckDeleting, CheckKept, CheckPlanned:
		return "it were not " + f.Got
	case CheckDelay:
		return "it were " + f.Want
	case CheckModes:
		return fmt.Sprintf("it offered %s (it offers %s)", f.Want, f.Got)
	case CheckSelector:
		if f.Got != "none" {
			have = "it has " + f.Got
		}
		return fmt.Sprintf("its labels matched %s (%s)", f.Want, have)
	}
	return fmt.Sprintf("its %s were %s (%s)", f.What, f.Want, have)
}

// beat says why one volume came before another.
func beat(winner, other *projector.Volume) string {
	switch {
	case winner == nil || other == nil:
		return ""
	case winner.ClaimRef != nil:
		return "it is reserved for the claim"
	case countModes(winner) != countModes(other):
		return fmt.Sprintf("it offers fewer access modes (%d, %s offers %d)", countModes(winner), other.Name, countModes(other))
	case compareSizes(winner.Storage, other.Storage) != 0:
		return fmt.Sprintf("it is smaller (%s, %s has %s)", amount(winner.Capacity, "storage"), other.Name, amount(other.Capacity, "storage"))
	}
	return fmt.Sprintf("both are alike and its name comes first (%s after it)", other.Name)
}
