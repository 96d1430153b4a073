package binder

import (
	"fmt"
	"strings"

	"bindery/projector"
	"bindery/projector/fact"
)

// claimSentence is the answer to "why" in one or two sentences.
func claimSentence(c *projector.Claim, d fact.Decision, e *Explanation) string {
	subject := c.ID.String()
	switch d.Rule {
	case RuleBound:
		if d.Outcome == fact.OutcomeSettled {
			return fmt.Sprintf("%s is bound to pv/%s.", subject, d.Winner.Name)
		}
		return fmt.Sprintf("%s belongs to pv/%s; the missing steps are being written.", subject, d.Winner.Name)
	case RuleBind, RuleNamedBind, RuleNamedReserved, RuleRebind:
		return fmt.Sprintf("%s gets pv/%s. %s", subject, d.Winner.Name, e.RuleDoc)
	case RuleBackoff:
		return fmt.Sprintf("%s: the last attempt failed (%s); the next one waits for its timer.", subject, d.Detail)
	case RuleNotSynced:
		return fmt.Sprintf("%s: not yet judged, still listing %s.", subject, d.Detail)
	}
	tail := e.RuleDoc
	if d.Detail != "" && d.Rule != RulePending && d.Rule != RuleUnconfirmed {
		tail = strings.TrimSuffix(tail, ".") + fmt.Sprintf(" (%s).", d.Detail)
	}
	if n := len(e.Rows) + e.Others; n > 0 && isSearch(d.Rule) && d.Winner.Name == "" && e.Rows[0].Verdict == Rejects {
		tail += fmt.Sprintf(" %s looked at, none fits.", plural(n, "volume"))
	}
	return fmt.Sprintf("%s is %s: %s", subject, strings.ToLower(e.State), tail)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// claimWaits says in words what would change the claim's state.
func claimWaits(c *projector.Claim, d fact.Decision) []string {
	if d.Outcome == fact.OutcomeSettled || d.Outcome == fact.OutcomeAct {
		return nil
	}
	fitting := "a volume of " + needWords(c)
	switch d.Rule {
	case RuleClassMissing:
		return []string{fitting, "class " + c.Class + " to exist"}
	case RuleNoVolume, RuleNoProvisioner:
		return []string{fitting}
	case RuleProvision:
		return []string{fitting, "the provisioner " + d.Detail}
	case RuleDefaultClass:
		return []string{fitting, "a class in the claim; the default is " + d.Detail}
	case RuleFirstConsumer:
		return []string{"a pod that uses the claim", "a volume that is reserved for the claim"}
	case RulePodScheduled:
		return []string{"the pods that use the claim to be scheduled", "a volume that is reserved for the claim"}
	case RuleNamedMissing:
		return []string{"the volume pv/" + c.VolumeName}
	case RuleNamedMismatch, RuleKept:
		return []string{"pv/" + c.VolumeName + " to change, or another claim in this one's place"}
	case RuleNamedTaken, RuleNamedStolen:
		return []string{"pv/" + c.VolumeName + " to be released by its claim"}
	case RuleBusyVolume:
		return []string{"the write under way on pv/" + d.Winner.Name}
	case RuleBackoff:
		return []string{"the timer of its next attempt"}
	case RuleNoBindingMode:
		return []string{"class " + c.Class + " to get a volumeBindingMode"}
	case RuleBadSelector:
		return []string{"a claim with a valid selector in this one's place"}
	case RuleGap:
		return []string{"the list of " + d.Detail + " to complete"}
	case RuleUnconfirmed:
		return []string{"the live read that confirms or refutes it"}
	case RuleTerminating:
		return []string{"the end of the claim"}
	case RuleNoName, RuleVolumeGone, RuleMisbound:
		return []string{"pv/" + orNone(c.VolumeName) + " with an empty claimRef or with the claim's uid in it"}
	}
	return nil
}

// needWords is what a free volume would have to offer.
func needWords(c *projector.Claim) string {
	words := "no class"
	if c.Class != "" {
		words = "class " + c.Class
	}
	if len(c.AccessModes) > 0 {
		words += " with " + strings.Join(c.AccessModes, ",")
	}
	words += " and at least " + amount(c.Requests, "storage")
	if mode := projector.Filesystem(c.VolumeMode); mode != "Filesystem" {
		words += ", volume mode " + mode
	}
	if c.Attributes != "" {
		words += ", attributes class " + c.Attributes
	}
	if c.Selector != nil {
		if s, err := selectorOf(c); err == nil && s.String() != "" {
			words += ", labels " + s.String()
		}
	}
	return words
}
