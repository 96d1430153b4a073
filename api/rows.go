package api

import (
	"time"

	"bindery/eventlog"
	"bindery/projector"
)

// claimRow is a claim as a list shows it.
func claimRow(v *projector.View, c *projector.Claim) Claim {
	row := Claim{
		Namespace: c.ID.Namespace, Name: c.ID.Name, UID: c.UID, Phase: orPending(c.Phase),
		Volume: c.VolumeName, Capacity: c.StatusCapacity["storage"], Request: c.Requests["storage"],
		AccessModes: c.StatusModes, Class: c.Class, VolumeMode: orFilesystem(c.VolumeMode),
		Created: created(c.Created), Seq: uint64(c.Seq),
	}
	row.State = claimState(v, c)
	if d := v.Decision(c.ID); d != nil && d.UID == c.UID {
		row.Rule, row.Decision = d.Rule, uint64(d.Seq)
	}
	return row
}

// volumeRow is a volume as a list shows it.
func volumeRow(v *projector.View, volume *projector.Volume) Volume {
	row := Volume{
		Name: volume.Name, UID: volume.UID, Phase: orPending(volume.Phase), Capacity: volume.Capacity["storage"],
		AccessModes: volume.AccessModes, ReclaimPolicy: volume.ReclaimPolicy, Class: volume.Class,
		VolumeMode: orFilesystem(volume.VolumeMode), Created: created(volume.Created), Seq: uint64(volume.Seq),
	}
	if ref := volume.ClaimRef; ref != nil {
		row.Claim = ref.Namespace + "/" + ref.Name
	}
	if d := v.Decision(projector.VolumeID(volume.Name)); d != nil && d.UID == volume.UID {
		row.Decision = uint64(d.Seq)
	}
	return row
}

// meta is the head of an answer from the view.
func meta(kind string, v *projector.View) Meta {
	m := Meta{APIVersion: Version, Kind: kind, AsOf: uint64(v.AsOf())}
	for _, gap := range v.Gaps() {
		m.Gaps = append(m.Gaps, gapRow(gap))
	}
	return m
}

// resourceName is a resource as the API server calls it.
func resourceName(r eventlog.Resource) string {
	switch r {
	case eventlog.ResourceVolume:
		return "persistentvolumes"
	case eventlog.ResourceClaim:
		return "persistentvolumeclaims"
	case eventlog.ResourceClass:
		return "storageclasses"
	case eventlog.ResourcePod:
		return "pods"
	case eventlog.ResourceNode:
		return "nodes"
	}
	return "unknown"
}

// created is a creation time, nil when it is not known.
func created(seconds int64) *time.Time {
	if seconds == 0 {
		return nil
	}
	t := time.Unix(seconds, 0).UTC()
	return &t
}

func orPending(phase string) string {
	if phase == "" {
		return "Pending"
	}
	return phase
}

func orFilesystem(mode string) string {
	if mode == "" {
		return "Filesystem"
	}
	return mode
}

// gapRow is a gap as answers show it.
func gapRow(g projector.Gap) Gap {
	return Gap{Resource: resourceName(g.Resource), From: g.From, To: g.To, Cause: g.Cause}
}
