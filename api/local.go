package api

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"bindery/eventlog"
	"bindery/projector"
)

// Answers is what a Local needs of a running service: the newest view whose
// every record is durable, and the log. *executor.Executor gives the view.
type Answers interface {
	DurableView(ctx context.Context) (*projector.View, error)
}

// Local is a Reader over a view and a log in this process.
type Local struct {
	views Answers
	log   eventlog.Log
	whole bool // the log is read as it is: nobody will add what is missing
}

var _ Reader = (*Local)(nil)

// NewLocal answers for a running service.
func NewLocal(views Answers, log eventlog.Log) *Local {
	return &Local{views: views, log: log}
}

// Offline answers from a log that no process is writing, after folding it.
func Offline(ctx context.Context, log eventlog.Log) (*Local, error) {
	state, err := foldTo(ctx, log, 0)
	if err != nil {
		return nil, err
	}
	return &Local{views: still{state.View()}, log: log, whole: true}, nil
}

// still is a view that does not move.
type still struct{ view *projector.View }

// DurableView is the view.
func (s still) DurableView(context.Context) (*projector.View, error) { return s.view.Fresh(), nil }

// folder is a log that can leave out the full objects, which a fold does not
// need.
type folder interface {
	Facts(first, last eventlog.Seq) iter.Seq2[eventlog.Record, error]
}

// foldTo folds a log up to and with last, 0 being its durable end.
func foldTo(ctx context.Context, log eventlog.Log, last eventlog.Seq) (*projector.State, error) {
	state := projector.New()
	for record, err := range facts(log, 1, last) {
		if err != nil {
			return nil, err
		}
		if record.Seq%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, err := state.Apply(record); err != nil {
			return nil, &Fault{Code: CodeNewerLog, Err: fmt.Errorf("fold seq %d: %w", record.Seq, err)}
		}
	}
	return state, nil
}

// facts are the records of a log, without full objects where the log can.
func facts(log eventlog.Log, first, last eventlog.Seq) iter.Seq2[eventlog.Record, error] {
	if f, ok := log.(folder); ok {
		return f.Facts(first, last)
	}
	return log.Records(first, last)
}

// Claims lists the claims of a namespace, or of all when it is empty.
func (l *Local) Claims(ctx context.Context, namespace string) (ClaimList, error) {
	v, err := l.views.DurableView(ctx)
	if err != nil {
		return ClaimList{}, err
	}
	list := ClaimList{Meta: meta("ClaimList", v), Items: []Claim{}}
	for c := range v.Claims() {
		if namespace == "" || c.ID.Namespace == namespace {
			list.Items = append(list.Items, claimRow(v, c))
		}
	}
	return list, nil
}

// Volumes lists all volumes.
func (l *Local) Volumes(ctx context.Context) (VolumeList, error) {
	v, err := l.views.DurableView(ctx)
	if err != nil {
		return VolumeList{}, err
	}
	list := VolumeList{Meta: meta("VolumeList", v), Items: []Volume{}}
	for volume := range v.Volumes() {
		list.Items = append(list.Items, volumeRow(v, volume))
	}
	return list, nil
}

// LogStatus tells how the log stands.
func (l *Local) LogStatus(ctx context.Context) (LogStatus, error) {
	v, err := l.views.DurableView(ctx)
	if err != nil && l.log.Err() == nil {
		return LogStatus{}, err
	}
	identity := l.log.Identity()
	status := LogStatus{
		Meta:  meta("LogStatus", v),
		LogID: identity.ID, Cluster: identity.ClusterName, ClusterUID: identity.ClusterUID,
		Head: uint64(l.log.Head()), Durable: uint64(l.log.Durable()), Mode: v.Mode(),
	}
	if err := l.log.Err(); err != nil {
		status.Failed = err.Error()
	}
	for range v.Claims() {
		status.Claims++
	}
	for range v.Volumes() {
		status.Volumes++
	}
	return status, nil
}

// Ready is nil when every resource has had a completed list since the start
// and the log takes records.
func (l *Local) Ready(ctx context.Context) error {
	if err := l.log.Err(); err != nil {
		return err
	}
	v, err := l.views.DurableView(ctx)
	if err != nil {
		return err
	}
	missing := v.Ready()
	if len(missing) == 0 || l.whole {
		return nil
	}
	var names []string
	for _, resource := range missing {
		names = append(names, resourceName(resource))
	}
	return &Fault{
		Code: CodeNotReady, Err: fmt.Errorf("no completed list yet of %s", strings.Join(names, ", ")),
		Advice: "it is listed from the API server; if this lasts, look for its errors in `bindery log dump`",
	}
}

// absent is the error that the log shows no such object.
func absent(id projector.ID, v *projector.View) error {
	return &Fault{Code: CodeNotFound, Err: fmt.Errorf("the log shows no %s (as of seq %d)", id, v.AsOf())}
}
