package api

import "time"

// Version is the apiVersion of every answer.
const Version = "bindery/v1"

// Meta says what an answer is and what it rests on.
type Meta struct {
	APIVersion string `json:"apiVersion" doc:"Always bindery/v1; fields are only ever added"`
	Kind       string `json:"kind" doc:"What the answer is"`
	AsOf       uint64 `json:"asOf" doc:"Seq of the last record that the answer rests on"`
	Gaps       []Gap  `json:"gaps,omitempty" doc:"Versions that the log may have missed"`
}

// Gap is a range of versions of one resource that may have been missed.
type Gap struct {
	Resource string `json:"resource"`
	From     uint64 `json:"from" doc:"Last version seen before the gap"`
	To       uint64 `json:"to" doc:"First version seen after it, 0 while it is open"`
	Cause    string `json:"cause"`
}

// Object names a claim or a volume.
type Object struct {
	Kind      string `json:"kind" doc:"pvc or pv"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// Why is the answer to the question why a claim or a volume is as it is.
type Why struct {
	Meta
	Subject  Object    `json:"subject"`
	State    string    `json:"state" doc:"Bound, Waiting (normal, says on whom), Blocked (needs a change) or Deciding, among others"`
	Sentence string    `json:"sentence" doc:"The answer in one sentence"`
	Decision *Decision `json:"decision,omitempty" doc:"The decision that the state rests on"`
	WaitsFor []string  `json:"waitsFor,omitempty" doc:"What ends the wait, in words"`
	Contest  *Contest  `json:"contest,omitempty" doc:"Each volume that was looked at and why it was not taken"`
	Writes   []Write   `json:"writes,omitempty" doc:"What was written to the cluster for it, in order"`
}

// Decision is a recorded decision.
type Decision struct {
	Seq      uint64    `json:"seq"`
	Time     time.Time `json:"time"`
	Outcome  string    `json:"outcome"`
	Rule     string    `json:"rule"`
	Doc      string    `json:"doc,omitempty" doc:"The rule in one sentence"`
	Detail   string    `json:"detail,omitempty"`
	Winner   string    `json:"winner,omitempty" doc:"The volume chosen, or the claim served"`
	RunnerUp string    `json:"runnerUp,omitempty"`
	Basis    uint64    `json:"basis" doc:"Seq of the last record that the decision saw"`
	RuleSet  string    `json:"ruleSet" doc:"Hash of the rules it was made by"`
}

// Contest is the comparison of volumes at one position of the log.
type Contest struct {
	Basis      uint64      `json:"basis" doc:"Seq of the last record that was seen"`
	Winner     string      `json:"winner,omitempty"`
	RunnerUp   string      `json:"runnerUp,omitempty"`
	Beat       string      `json:"beat,omitempty" doc:"Why the winner came before the runner-up"`
	Nearest    string      `json:"nearestMiss,omitempty" doc:"The volume that came nearest, and what would make it fit"`
	Candidates []Candidate `json:"candidates"`
	Counts     []Count     `json:"counts,omitempty" doc:"Volumes per check that they failed first"`
	Total      int         `json:"total" doc:"Volumes looked at"`
	Cut        int         `json:"cut,omitempty" doc:"Candidates left out of this answer"`
}

// Candidate is one volume in a contest.
type Candidate struct {
	Volume      string `json:"volume"`
	Verdict     string `json:"verdict" doc:"chosen, fits, or does not fit"`
	Misses      []Miss `json:"misses,omitempty" doc:"Checks that it failed; the first one decided"`
	Capacity    string `json:"capacity,omitempty"`
	AccessModes string `json:"accessModes,omitempty"`
	Class       string `json:"storageClass,omitempty"`
	Phase       string `json:"phase,omitempty"`
}

// Miss is one check that a candidate failed.
type Miss struct {
	Rule string `json:"rule"`
	What string `json:"what"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Count is how many volumes failed a check first.
type Count struct {
	Rule    string `json:"rule"`
	Volumes int    `json:"volumes"`
}

// Write is one planned write and what it came to.
type Write struct {
	Plan    uint64     `json:"plan" doc:"Seq of the intent that it belongs to"`
	Time    *time.Time `json:"time,omitempty" doc:"When its result was recorded"`
	Object  string     `json:"object"`
	Purpose string     `json:"purpose"`
	Result  string     `json:"result" doc:"Pending until a result is recorded; Dropped when the plan ended before it"`
	Seq     uint64     `json:"seq,omitempty" doc:"Seq of the result"`
	Error   string     `json:"error,omitempty"`
}

// ClaimList is a list of claims, by namespace and name.
type ClaimList struct {
	Meta
	Items []Claim `json:"items"`
}

// Claim is a claim as the log shows it, with its last decision.
type Claim struct {
	Namespace   string     `json:"namespace"`
	Name        string     `json:"name"`
	UID         string     `json:"uid"`
	Phase       string     `json:"phase"`
	State       string     `json:"state" doc:"Bound, Waiting, Blocked or Deciding"`
	Rule        string     `json:"rule,omitempty"`
	Volume      string     `json:"volume,omitempty"`
	Capacity    string     `json:"capacity,omitempty"`
	Request     string     `json:"request,omitempty"`
	AccessModes []string   `json:"accessModes,omitempty"`
	Class       string     `json:"storageClass,omitempty"`
	VolumeMode  string     `json:"volumeMode"`
	Created     *time.Time `json:"created,omitempty"`
	Decision    uint64     `json:"decision,omitempty" doc:"Seq of the last decision"`
	Seq         uint64     `json:"seq" doc:"Seq of the record that shows this"`
}

// VolumeList is a list of volumes, by name.
type VolumeList struct {
	Meta
	Items []Volume `json:"items"`
}

// Volume is a volume as the log shows it, with its last decision.
type Volume struct {
	Name          string     `json:"name"`
	UID           string     `json:"uid"`
	Phase         string     `json:"phase"`
	Claim         string     `json:"claim,omitempty" doc:"Namespace and name of the claim that it is reserved for or bound to"`
	Capacity      string     `json:"capacity,omitempty"`
	AccessModes   []string   `json:"accessModes,omitempty"`
	ReclaimPolicy string     `json:"reclaimPolicy,omitempty"`
	Class         string     `json:"storageClass,omitempty"`
	VolumeMode    string     `json:"volumeMode"`
	Created       *time.Time `json:"created,omitempty"`
	Decision      uint64     `json:"decision,omitempty" doc:"Seq of the last decision"`
	Seq           uint64     `json:"seq" doc:"Seq of the record that shows this"`
}

// LogStatus says what the log is and how far it goes.
type LogStatus struct {
	Meta
	LogID      string `json:"logID"`
	Cluster    string `json:"cluster"`
	ClusterUID string `json:"clusterUID,omitempty"`
	Head       uint64 `json:"head" doc:"Last seq given out"`
	Durable    uint64 `json:"durable" doc:"Last seq on disk"`
	Mode       string `json:"mode,omitempty" doc:"bind or shadow, of the newest process"`
	Claims     int    `json:"claims"`
	Volumes    int    `json:"volumes"`
	Failed     string `json:"failed,omitempty" doc:"Why the log takes no more records"`
}
