package submit

// The parts of the Kubernetes API that the manifests use, in the order in which
// they are written: ConfigMap (v1) and Job (batch/v1). The names of the fields
// are the API's; the tests hold them to its schemas.

type configMap struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   metadata          `yaml:"metadata"`
	Data       map[string]string `yaml:"data"`
}

type job struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       jobSpec  `yaml:"spec"`
}

type metadata struct {
	Name      string            `yaml:"name,omitempty"`
	Namespace string            `yaml:"namespace,omitempty"`
	Labels    map[string]string `yaml:"labels,omitempty"`
}

type jobSpec struct {
	Suspend              bool              `yaml:"suspend,omitempty"`
	CompletionMode       string            `yaml:"completionMode,omitempty"`
	Completions          int               `yaml:"completions,omitempty"`
	Parallelism          int               `yaml:"parallelism,omitempty"`
	BackoffLimit         *int              `yaml:"backoffLimit,omitempty"`
	BackoffLimitPerIndex *int              `yaml:"backoffLimitPerIndex,omitempty"`
	MaxFailedIndexes     *int              `yaml:"maxFailedIndexes,omitempty"`
	PodFailurePolicy     *podFailurePolicy `yaml:"podFailurePolicy,omitempty"`
	Template             podTemplate       `yaml:"template"`
}

type podFailurePolicy struct {
	Rules []podFailureRule `yaml:"rules"`
}

type podFailureRule struct {
	Action          string         `yaml:"action"`
	OnExitCodes     *exitCodes     `yaml:"onExitCodes,omitempty"`
	OnPodConditions []podCondition `yaml:"onPodConditions,omitempty"`
}

type exitCodes struct {
	ContainerName string `yaml:"containerName"`
	Operator      string `yaml:"operator"`
	Values        []int  `yaml:"values,flow"`
}

type podCondition struct {
	Type   string `yaml:"type"`
	Status string `yaml:"status"`
}

type podTemplate struct {
	Metadata metadata `yaml:"metadata"`
	Spec     podSpec  `yaml:"spec"`
}

type podSpec struct {
	RestartPolicy                 string             `yaml:"restartPolicy"`
	TerminationGracePeriodSeconds int                `yaml:"terminationGracePeriodSeconds"`
	AutomountServiceAccountToken  bool               `yaml:"automountServiceAccountToken"`
	EnableServiceLinks            bool               `yaml:"enableServiceLinks"`
	SecurityContext               podSecurityContext `yaml:"securityContext"`
	Containers                    []container        `yaml:"containers"`
	Volumes                       []volume           `yaml:"volumes"`
}

type podSecurityContext struct {
	RunAsNonRoot   bool           `yaml:"runAsNonRoot"`
	RunAsUser      int            `yaml:"runAsUser"`
	RunAsGroup     int            `yaml:"runAsGroup"`
	FSGroup        int            `yaml:"fsGroup"`
	SeccompProfile seccompProfile `yaml:"seccompProfile"`
}

type seccompProfile struct {
	Type string `yaml:"type"`
}

type container struct {
	Name            string          `yaml:"name"`
	Image           string          `yaml:"image"`
	Command         []string        `yaml:"command,flow"`
	Env             []envVar        `yaml:"env"`
	EnvFrom         []envFrom       `yaml:"envFrom,omitempty"`
	Resources       resources       `yaml:"resources"`
	SecurityContext securityContext `yaml:"securityContext"`
	VolumeMounts    []volumeMount   `yaml:"volumeMounts"`
}

type envVar struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

type envFrom struct {
	SecretRef nameRef `yaml:"secretRef"`
}

type nameRef struct {
	Name string `yaml:"name"`
}

type resources struct {
	Requests map[string]string `yaml:"requests"`
	Limits   map[string]string `yaml:"limits"`
}

type securityContext struct {
	AllowPrivilegeEscalation bool         `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRootFilesystem   bool         `yaml:"readOnlyRootFilesystem"`
	Capabilities             capabilities `yaml:"capabilities"`
}

type capabilities struct {
	Drop []string `yaml:"drop,flow"`
}

type volumeMount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
}

type volume struct {
	Name                  string    `yaml:"name"`
	ConfigMap             *nameRef  `yaml:"configMap,omitempty"`
	EmptyDir              *struct{} `yaml:"emptyDir,omitempty"`
	PersistentVolumeClaim *claimRef `yaml:"persistentVolumeClaim,omitempty"`
}

type claimRef struct {
	ClaimName string `yaml:"claimName"`
}
