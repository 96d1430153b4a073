package conformance

const (
	pvs   = "/api/v1/persistentvolumes"
	pvcs  = "/api/v1/namespaces/default/persistentvolumeclaims"
	merge = "application/merge-patch+json"

	volumeBody = `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"{p}-v","namespace":"default"},
		"spec":{"capacity":{"storage":"500Mi"},"accessModes":["ReadWriteMany"],"nfs":{"server":"10.0.0.1","path":"/e"}},
		"status":{"phase":"Bound","message":"mine"}}`
	claimBody = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"{p}-c"},
		"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"{p}","resources":{"requests":{"storage":"1Gi"}}},
		"status":{"phase":"Bound","capacity":{"storage":"9Gi"}}}`
)

var steps = []Step{
	{
		Name: "a new volume is Pending whatever was sent, a stray namespace is dropped, defaults are filled in", Method: "POST", Path: pvs, Body: volumeBody, Code: 201,
		Fields: map[string]string{
			"metadata.namespace": "", "metadata.uid": "*", "status.phase": "Pending", "status.message": "",
			"status.lastPhaseTransitionTime": "*", "spec.persistentVolumeReclaimPolicy": "Retain", "spec.volumeMode": "Filesystem",
		},
		Save: map[string]string{"vuid": "metadata.uid", "v1": "metadata.resourceVersion", "vtime": "status.lastPhaseTransitionTime"},
	},
	{Name: "a name is taken once", Method: "POST", Path: pvs, Body: volumeBody, Code: 409, Reason: "AlreadyExists"},
	{
		Name: "a volume needs modes, capacity and a source", Method: "POST", Path: pvs, Code: 422, Reason: "Invalid",
		Body: `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"{p}-x"},"spec":{}}`,
	},
	{
		Name: "a bad name is refused", Method: "POST", Path: pvs, Code: 422, Reason: "Invalid",
		Body: `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"{p}_X"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"nfs":{"server":"s","path":"/"}}}`,
	},
	{
		Name: "ReadWriteOncePod stands alone", Method: "POST", Path: pvs, Code: 422, Reason: "Invalid",
		Body: `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"{p}-y"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"nfs":{"server":"s","path":"/"}}}`,
	},
	{Name: "absent", Method: "GET", Path: pvs + "/{p}-none", Code: 404, Reason: "NotFound"},
	{
		Name: "a new claim has an empty status", Method: "POST", Path: pvcs, Body: claimBody, Code: 201,
		Fields: map[string]string{"status.phase": "Pending", "status.capacity": "", "spec.volumeMode": "Filesystem", "metadata.namespace": "default"},
		Save:   map[string]string{"cuid": "metadata.uid", "c1": "metadata.resourceVersion"},
	},
	{
		Name: "a claim needs a positive request", Method: "POST", Path: pvcs, Code: 422, Reason: "Invalid",
		Body: `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"{p}-z"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"0"}}}}`,
	},
	{
		Name: "a namespace that differs from the path's is refused", Method: "POST", Path: pvcs, Code: 400, Reason: "BadRequest",
		Body: `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"{p}-n","namespace":"kube-system"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`,
	},
	{
		Name: "a merge patch sets claimRef, and the status stays", Method: "PATCH", Path: pvs + "/{p}-v?fieldManager=bindery", Type: merge, Code: 200,
		Body: `{"metadata":{"uid":"{vuid}","annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},
			"spec":{"claimRef":{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"default","name":"{p}-c","uid":"{cuid}","resourceVersion":"{c1}","fieldPath":null}},"status":{"phase":"Bound"}}`,
		Fields: map[string]string{
			"spec.claimRef.uid": "{cuid}", "spec.claimRef.fieldPath": "", "status.phase": "Pending",
			"metadata.annotations[pv.kubernetes.io/bound-by-controller]": "yes",
		},
		Save: map[string]string{"v2": "metadata.resourceVersion"},
	},
	{
		Name: "the same patch again changes nothing", Method: "PATCH", Path: pvs + "/{p}-v?fieldManager=bindery", Type: merge, Code: 200,
		Body:   `{"metadata":{"uid":"{vuid}"},"spec":{"claimRef":{"uid":"{cuid}"}}}`,
		Fields: map[string]string{"metadata.resourceVersion": "{v2}"},
	},
	{
		Name: "an old version conflicts", Method: "PATCH", Path: pvs + "/{p}-v", Type: merge, Code: 409, Reason: "Conflict",
		Body: `{"metadata":{"resourceVersion":"{v1}"},"spec":{"claimRef":null}}`,
	},
	{
		Name: "an old version conflicts even where the patch changes nothing", Method: "PATCH", Path: pvs + "/{p}-v", Type: merge, Code: 409, Reason: "Conflict",
		Body: `{"metadata":{"resourceVersion":"{v1}"}}`,
	},
	{
		Name: "another uid is refused as a change of the uid", Method: "PATCH", Path: pvs + "/{p}-v", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"metadata":{"uid":"{cuid}"},"spec":{"claimRef":null}}`,
	},
	{
		Name: "a status patch sets the phase and its time, and leaves the spec", Method: "PATCH", Path: pvs + "/{p}-v/status", Type: merge, Code: 200,
		Body:   `{"metadata":{"uid":"{vuid}","resourceVersion":"{v2}"},"spec":{"claimRef":null},"status":{"phase":"Bound","message":null}}`,
		Fields: map[string]string{"status.phase": "Bound", "spec.claimRef.uid": "{cuid}", "status.lastPhaseTransitionTime": "*"},
		Save:   map[string]string{"v3": "metadata.resourceVersion"},
	},
	{
		Name: "a volume's source is immutable", Method: "PATCH", Path: pvs + "/{p}-v", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"spec":{"nfs":{"path":"/other"}}}`,
	},
	{
		Name: "a volume's mode is immutable", Method: "PATCH", Path: pvs + "/{p}-v", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"spec":{"volumeMode":"Block"}}`,
	},
	{
		Name: "a claim's request is immutable while it is not bound", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`,
	},
	{
		Name: "volumeName is set once", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 200,
		Body:   `{"metadata":{"uid":"{cuid}","resourceVersion":"{c1}","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"{p}-v"}}`,
		Fields: map[string]string{"spec.volumeName": "{p}-v", "status.phase": "Pending"},
		Save:   map[string]string{"c2": "metadata.resourceVersion"},
	},
	{
		Name: "and never again", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"spec":{"volumeName":"{p}-w"}}`,
	},
	{
		Name: "a claim's status is written apart", Method: "PATCH", Path: pvcs + "/{p}-c/status", Type: merge, Code: 200,
		Body:   `{"metadata":{"uid":"{cuid}","resourceVersion":"{c2}"},"status":{"phase":"Bound","accessModes":["ReadWriteMany"],"capacity":{"storage":"500Mi"}}}`,
		Fields: map[string]string{"status.phase": "Bound", "status.accessModes": "ReadWriteMany", "status.capacity.storage": "500Mi"},
		Save:   map[string]string{"c3": "metadata.resourceVersion"},
	},
	{
		Name: "null takes fields of a status away", Method: "PATCH", Path: pvcs + "/{p}-c/status", Type: merge, Code: 200,
		Body:   `{"metadata":{"resourceVersion":"{c3}"},"status":{"phase":"Lost","accessModes":null,"capacity":null}}`,
		Fields: map[string]string{"status.phase": "Lost", "status.accessModes": "", "status.capacity": ""},
	},
	{
		Name: "deleting with another uid is refused", Method: "DELETE", Path: pvcs + "/{p}-c", Code: 409, Reason: "Conflict",
		Body: `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"{vuid}"}}`,
	},
	{
		Name: "a finalizer of ours", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 200,
		Body: `{"metadata":{"finalizers":["bindery.test/one"]}}`, Fields: map[string]string{"metadata.finalizers": "bindery.test/one"},
	},
	{
		Name: "holds the claim when it is deleted", Method: "DELETE", Path: pvcs + "/{p}-c", Code: 200,
		Body:   `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"{cuid}"}}`,
		Fields: map[string]string{"metadata.deletionTimestamp": "*"},
	},
	{
		Name: "no finalizer is added then", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 422, Reason: "Invalid",
		Body: `{"metadata":{"finalizers":["bindery.test/one","bindery.test/two"]}}`,
	},
	{
		Name: "the last finalizer lets it go", Method: "PATCH", Path: pvcs + "/{p}-c", Type: merge, Code: 200,
		Body: `{"metadata":{"finalizers":null}}`,
	},
	{Name: "and it is gone", Method: "GET", Path: pvcs + "/{p}-c", Code: 404, Reason: "NotFound"},
	{
		Name: "a class gets its defaults", Method: "POST", Path: "/apis/storage.k8s.io/v1/storageclasses", Code: 201,
		Body:   `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"{p}-s"},"provisioner":"example.com/p"}`,
		Fields: map[string]string{"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
	},
	{Name: "a class goes at once", Method: "DELETE", Path: "/apis/storage.k8s.io/v1/storageclasses/{p}-s", Code: 200},
	{
		Name: "a list is selected by name", Method: "GET", Path: pvs + "?fieldSelector=metadata.name%3D{p}-v", Code: 200,
		Fields: map[string]string{"kind": "PersistentVolumeList", "metadata.resourceVersion": "*"},
	},
	{Name: "no such resource", Method: "GET", Path: "/api/v1/persistentthings", Code: 404},
	{Name: "a volume goes", Method: "DELETE", Path: pvs + "/{p}-v", Code: 200},
}
