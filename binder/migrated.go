package binder

import "bindery/projector/fact"

// migratedDrivers are the in-tree provisioners that CSI drivers have taken
// over, unconditionally (6.6).
var migratedDrivers = map[string]string{
	"kubernetes.io/aws-ebs":         "ebs.csi.aws.com",
	"kubernetes.io/gce-pd":          "pd.csi.storage.gke.io",
	"kubernetes.io/azure-disk":      "disk.csi.azure.com",
	"kubernetes.io/azure-file":      "file.csi.azure.com",
	"kubernetes.io/cinder":          "cinder.csi.openstack.org",
	"kubernetes.io/vsphere-volume":  "csi.vsphere.vmware.com",
	"kubernetes.io/portworx-volume": "pxd.portworx.com",
}

// claimProvisioner is the provisioner that a claim's annotations name: the GA
// key before the beta key.
func claimProvisioner(annotations map[string]string) string {
	if name, ok := annotations[fact.AnnProvisioner]; ok {
		return name
	}
	return annotations[fact.AnnBetaProvisioner]
}

// migratedTo is what the migrated-to annotation should be and whether that is
// a change: a migrated provisioner's driver, or nothing. Without a provisioner
// nothing changes.
func migratedTo(annotations map[string]string, provisioner string) (want string, change bool) {
	if provisioner == "" {
		return "", false
	}
	want = migratedDrivers[provisioner]
	return want, annotations[fact.AnnMigratedTo] != want
}
