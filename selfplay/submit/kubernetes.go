package submit

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"draughtlab/export/dataset"
)

// MaxKubernetesTasks is how many tasks a Job has at most where nothing else is
// asked for: a tenth of what the API takes with any number of failed ones.
const MaxKubernetesTasks = 10_000

// Limits of the API for an Indexed Job with a limit of failures per index
// (validateJobSpec in pkg/apis/batch/validation of Kubernetes 1.36).
const (
	maxIndexes  = 100_000
	maxParallel = 100_000
)

// maxNumber bounds what the API keeps as a number of 32 bits: retries of a Job,
// and the user and group of a container.
const maxNumber = math.MaxInt32

// Exit codes of a draughtlab that was stopped on request: its own, and that of a
// SIGTERM which came before it listened, or twice.
const (
	interruptedCode = 75
	terminatedCode  = 128 + 15
)

// configDir is where the config and the scripts are in a container.
const configDir = "/etc/draughtlab"

// cacheDir is for endgame tables, which are made at first use, and temporary
// files.
const cacheDir = "/tmp"

// maxConfigMap is what a ConfigMap holds, in bytes (Kubernetes documentation,
// ConfigMaps), less some for the scripts and names.
const maxConfigMap = 1<<20 - 16<<10

// Kubernetes is a run to be played by an Indexed Job of Kubernetes.
type Kubernetes struct {
	Run
	// Image is a container image with draughtlab and a POSIX shell in its PATH.
	Image string
	// Namespace is that of all objects; empty for the one kubectl is set to.
	Namespace string
	// Out is where the run is kept: an absolute path of the containers on the
	// volume of Claim, or s3://BUCKET/PREFIX.
	Out string
	// Claim is the name of a PersistentVolumeClaim that many nodes can write to
	// at once, and Mount where the containers have it; both empty for a bucket.
	Claim, Mount string
	// Secret is the name of a Secret whose keys become environment variables,
	// for the credentials of a bucket; empty for none.
	Secret string
	// Parallelism is how many tasks may run at a time, at least 1.
	Parallelism int
	// Memory is that of a task as a Kubernetes quantity, such as "1Gi".
	Memory string
	// Grace is how many seconds a task has to finish its games when it is asked
	// to stop, at least 1.
	Grace int
	// User is the number of user and group that the containers run as and that
	// can write to the volume; not 0.
	User int
}

var (
	//go:embed play.sh.tmpl
	playText string
	//go:embed finish.sh.tmpl
	finishText string

	podTemplates = template.Must(template.Must(template.New("play.sh").
			Funcs(template.FuncMap{"quote": shellQuote}).Parse(playText)).
			New("finish.sh").Parse(finishText))
)

// head is what stands above the manifests. kubectl would wait a week only if it
// were asked to wait for ever.
const head = `# Plays a run of draughtlab: an Indexed Job of %d tasks, and a suspended Job that
# completes, verifies and summarises the dataset when it is resumed.
#
#   kubectl apply -f THIS_FILE
#   kubectl wait%[2]s --for=condition=complete --timeout=8760h job/%[3]s
#   kubectl patch%[2]s job/%[3]s-finish --type=merge -p '{"spec":{"suspend":false}}'
#
# The second command waits in vain if tasks have failed for good; "kubectl
# describe" tells. To play what is missing, replace the Jobs: no shard is played
# twice.
#
#   kubectl replace --force -f THIS_FILE
#
# Written by "draughtlab submit kubernetes".
`

// Manifests returns YAML with a ConfigMap, the Job that plays the run and the
// suspended Job that completes it.
func (k Kubernetes) Manifests() (string, error) {
	if err := k.check(); err != nil {
		return "", err
	}
	var scripts [2]bytes.Buffer
	for i, name := range []string{"play.sh", "finish.sh"} {
		if err := podTemplates.ExecuteTemplate(&scripts[i], name, k); err != nil {
			return "", err
		}
	}
	config := configMap{
		APIVersion: "v1", Kind: "ConfigMap", Metadata: k.metadata(k.Name()),
		Data: map[string]string{
			"config.json": string(k.Config.Text()),
			"play.sh":     scripts[0].String(),
			"finish.sh":   scripts[1].String(),
		},
	}
	namespace := ""
	if k.Namespace != "" {
		namespace = " --namespace=" + k.Namespace
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, head, k.Tasks(), namespace, k.Name())
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	for _, document := range []any{config, k.playJob(), k.finishJob()} {
		if err := e.Encode(document); err != nil {
			return "", err
		}
	}
	if err := e.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// playJob returns the Job of which each index is a task. Disruptions (a drained
// or preempted pod) and pods that were stopped on request count as no failure;
// any other end does, and is tried again.
func (k Kubernetes) playJob() job {
	retries, tasks := k.Retries, k.Tasks()
	failed := (tasks + 9) / 10 // more than a tenth has a reason that they share
	return job{
		APIVersion: "batch/v1", Kind: "Job", Metadata: k.metadata(k.Name()),
		Spec: jobSpec{
			CompletionMode:       "Indexed",
			Completions:          tasks,
			Parallelism:          min(k.Parallelism, tasks),
			BackoffLimitPerIndex: &retries,
			MaxFailedIndexes:     &failed,
			PodFailurePolicy: &podFailurePolicy{Rules: []podFailureRule{
				{Action: "Ignore", OnPodConditions: []podCondition{{Type: "DisruptionTarget", Status: "True"}}},
				{Action: "Ignore", OnExitCodes: &exitCodes{ContainerName: "play", Operator: "In", Values: []int{interruptedCode, terminatedCode}}},
			}},
			Template: k.pod("play"),
		},
	}
}

// finishJob returns the Job that completes the dataset. It waits, suspended,
// until someone has seen the other one complete.
func (k Kubernetes) finishJob() job {
	retries := k.Retries
	return job{
		APIVersion: "batch/v1", Kind: "Job", Metadata: k.metadata(k.Name() + "-finish"),
		Spec: jobSpec{Suspend: true, BackoffLimit: &retries, Template: k.pod("finish")},
	}
}

func (k Kubernetes) metadata(name string) metadata {
	return metadata{Name: name, Namespace: k.Namespace, Labels: k.labels()}
}

func (k Kubernetes) labels() map[string]string {
	return map[string]string{"app.kubernetes.io/name": "draughtlab", "app.kubernetes.io/instance": k.Name()}
}

// pod returns the pod that runs one of the scripts. It asks for no more rights
// than the "restricted" Pod Security Standard gives.
func (k Kubernetes) pod(script string) podTemplate {
	c := container{
		Name: script, Image: k.Image,
		Command: []string{"sh", path.Join(configDir, script+".sh")},
		Env:     []envVar{{"XDG_CACHE_HOME", cacheDir}},
		Resources: resources{
			Requests: map[string]string{"cpu": strconv.Itoa(k.CPUs), "memory": k.Memory},
			Limits:   map[string]string{"memory": k.Memory},
		},
		SecurityContext: securityContext{ReadOnlyRootFilesystem: true, Capabilities: capabilities{Drop: []string{"ALL"}}},
		VolumeMounts:    []volumeMount{{"config", configDir}, {"tmp", cacheDir}},
	}
	volumes := []volume{
		{Name: "config", ConfigMap: &nameRef{k.Name()}},
		{Name: "tmp", EmptyDir: &struct{}{}},
	}
	if k.Secret != "" {
		c.EnvFrom = []envFrom{{nameRef{k.Secret}}}
	}
	if k.Claim != "" {
		c.VolumeMounts = append(c.VolumeMounts, volumeMount{"run", k.Mount})
		volumes = append(volumes, volume{Name: "run", PersistentVolumeClaim: &claimRef{k.Claim}})
	}
	return podTemplate{
		Metadata: metadata{Labels: k.labels()},
		Spec: podSpec{
			RestartPolicy:                 "Never",
			TerminationGracePeriodSeconds: k.Grace,
			SecurityContext: podSecurityContext{
				RunAsNonRoot: true, RunAsUser: k.User, RunAsGroup: k.User, FSGroup: k.User,
				SeccompProfile: seccompProfile{"RuntimeDefault"},
			},
			Containers: []container{c},
			Volumes:    volumes,
		},
	}
}

var (
	// dnsName is the form of the names of claims, secrets and namespaces
	// (RFC 1123 subdomain).
	dnsName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	// quantity is a positive amount of memory.
	quantity = regexp.MustCompile(`^[1-9][0-9]*(Ki|Mi|Gi|Ti|k|M|G|T)?$`)
)

func (k Kubernetes) check() error {
	if err := k.Run.check(); err != nil {
		return err
	}
	texts := append([]string{k.Image, k.Out, k.Mount, k.Tables}, k.Inputs...)
	if err := oneLine(texts...); err != nil {
		return err
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return fmt.Errorf("%q: YAML holds names in UTF-8 only: rename it", text)
		}
	}
	for _, name := range []string{k.Namespace, k.Claim, k.Secret} {
		if name != "" && !dnsName.MatchString(name) {
			return fmt.Errorf("%q is no name of a Kubernetes object: it takes small letters, digits, dashes and dots", name)
		}
	}
	tasks := k.Tasks()
	switch {
	case tasks > maxIndexes:
		return fmt.Errorf("%d tasks: a Job takes at most %d of them: let a task play more shards", tasks, maxIndexes)
	case k.Parallelism < 1 || k.Parallelism > maxParallel:
		return fmt.Errorf("%d tasks at a time: it takes 1 to %d", k.Parallelism, maxParallel)
	case k.Image == "":
		return errors.New("no image: name one that has draughtlab and a shell")
	case !quantity.MatchString(k.Memory):
		return fmt.Errorf("memory %q: it takes a number with a unit, such as 1Gi", k.Memory)
	case k.Grace < 1:
		return fmt.Errorf("%d seconds to stop: it takes 1 or more", k.Grace)
	case k.User < 1 || k.User > maxNumber:
		return fmt.Errorf("user %d: it takes 1 to %d, the containers do not run as root", k.User, maxNumber)
	case k.Retries > maxNumber:
		return fmt.Errorf("%d retries: it takes 0 to %d", k.Retries, maxNumber)
	case len(k.Config.Text()) > maxConfigMap:
		return fmt.Errorf("a config of %d bytes: a ConfigMap holds at most %d", len(k.Config.Text()), maxConfigMap)
	}
	return k.checkOut()
}

// checkOut checks that what is written outlives its pod.
func (k Kubernetes) checkOut() error {
	bucket := dataset.InBucket(k.Out)
	switch {
	case bucket && k.Claim != "":
		return fmt.Errorf("both a claim and %s: leave one of them out", k.Out)
	case bucket:
		return dataset.CheckPlace(k.Out)
	case k.Claim == "":
		return fmt.Errorf("no claim for %s: name a PersistentVolumeClaim, or s3://BUCKET/PREFIX to write to", k.Out)
	case !path.IsAbs(k.Mount) || path.Clean(k.Mount) != k.Mount || k.Mount == "/" || strings.Contains(k.Mount, ":"):
		return fmt.Errorf("the claim's mount path %q: it takes an absolute path, without a colon, such as /data", k.Mount)
	case k.Mount == configDir || k.Mount == cacheDir:
		return fmt.Errorf("the claim's mount path %s: something else is there, take another one, such as /data", k.Mount)
	case !strings.HasPrefix(path.Clean(k.Out), k.Mount+"/"):
		return fmt.Errorf("%s is not on the volume of the claim: it takes a directory below %s", k.Out, k.Mount)
	}
	return nil
}
