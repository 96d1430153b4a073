package api

import (
	"context"

	"bindery/projector"
)

// Reader answers questions about one log. It is safe for concurrent use.
// Errors have a code, see [FaultOf].
type Reader interface {
	// Why tells why a claim or a volume is as it is.
	Why(ctx context.Context, id projector.ID) (Why, error)
	// Claims lists the claims of a namespace, or of all when it is empty.
	Claims(ctx context.Context, namespace string) (ClaimList, error)
	// Volumes lists all volumes.
	Volumes(ctx context.Context) (VolumeList, error)
	// LogStatus tells how the log stands.
	LogStatus(ctx context.Context) (LogStatus, error)
	// Ready is nil when answers are complete, or says what is missing.
	Ready(ctx context.Context) error
}
