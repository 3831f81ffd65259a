package submit

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yannh/kubeconform/pkg/validator"
	"go.yaml.in/yaml/v3"

	"draughtlab/selfplay"
)

// testConfig is a run of six shards, of random players.
func testConfig() selfplay.Config {
	c := selfplay.DefaultConfig()
	c.Variants = []string{"croda", "russian"}
	c.Games = 25
	c.ShardGames = 10
	c.Seed = 7
	c.TablePieces = 0
	c.Player = selfplay.PlayerConfig{Kind: selfplay.Random}
	return c
}

// testKubernetes keeps testConfig on a claim.
func testKubernetes() Kubernetes {
	return Kubernetes{
		Run:   Run{Config: testConfig(), PerTask: 4, CPUs: 2, Retries: 3},
		Image: "draughtlab:test", Out: "/data/it's a run", Claim: "draughts", Mount: "/data",
		Namespace: "lab", Parallelism: 16, Memory: "1Gi", Grace: 60, User: 65532,
	}
}

// validate returns what kubeconform finds wrong with manifests, by the schemas
// of the API itself.
func validate(t *testing.T, manifests string) []error {
	t.Helper()
	v, err := validator.New([]string{"testdata/schemas/{{.ResourceKind}}{{.KindSuffix}}.json"}, validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var errs []error
	kinds := 0
	for _, r := range v.Validate("run.yaml", io.NopCloser(strings.NewReader(manifests))) {
		switch r.Status {
		case validator.Valid:
			kinds++
		case validator.Empty:
		default:
			errs = append(errs, r.Err)
		}
	}
	if len(errs) == 0 && kinds != 3 {
		t.Errorf("%d valid objects, not 3", kinds)
	}
	return errs
}

// TestManifestsValid protects whoever applies the manifests: the API knows every
// field and its type. The last two protect the test itself.
func TestManifestsValid(t *testing.T) {
	bucket := testKubernetes()
	bucket.Out, bucket.Claim, bucket.Mount, bucket.Secret, bucket.Namespace = "s3://bucket/run", "", "", "s3-keys", ""
	for _, k := range []Kubernetes{testKubernetes(), bucket} {
		text, err := k.Manifests()
		if err != nil {
			t.Fatal(err)
		}
		if errs := validate(t, text); len(errs) > 0 {
			t.Errorf("%v in:\n%s", errs, text)
		}
		for _, wrong := range [][2]string{
			{"backoffLimitPerIndex:", "backoffLimitPerIndices:"},
			{"completions: 2", "completions: two"},
		} {
			if errs := validate(t, strings.Replace(text, wrong[0], wrong[1], 1)); len(errs) != 1 {
				t.Errorf("%s is found to be wrong in %d places: %v", wrong[1], len(errs), errs)
			}
		}
	}
}

// parseManifests reads what Manifests wrote; unknown fields are errors.
func parseManifests(t *testing.T, k Kubernetes) (config configMap, play, finish job) {
	t.Helper()
	text, err := k.Manifests()
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	for _, v := range []any{&config, &play, &finish} {
		if err := d.Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Decode(&job{}); err != io.EOF {
		t.Fatalf("more than three documents: %v", err)
	}
	return config, play, finish
}

// TestManifestsAccepted protects the rules that no schema can hold. They are
// those of validateJobSpec, validatePodFailurePolicyRule and
// validatePodFailurePolicyRuleOnExitCodes in pkg/apis/batch/validation of
// Kubernetes 1.36.
func TestManifestsAccepted(t *testing.T) {
	_, play, finish := parseManifests(t, testKubernetes())
	s := play.Spec
	if s.CompletionMode != "Indexed" || s.BackoffLimitPerIndex == nil || s.Completions < 1 {
		t.Errorf("backoffLimitPerIndex needs an Indexed Job, which needs completions: %+v", s)
	}
	if *s.MaxFailedIndexes > s.Completions || s.Parallelism > s.Completions {
		t.Errorf("more failed or parallel indexes than there are: %+v", s)
	}
	if s.Template.Spec.RestartPolicy != "Never" || finish.Spec.Template.Spec.RestartPolicy != "Never" {
		t.Error("podFailurePolicy needs restartPolicy Never")
	}
	for i, r := range s.PodFailurePolicy.Rules {
		if (r.OnExitCodes == nil) == (len(r.OnPodConditions) == 0) {
			t.Errorf("rule %d needs exit codes or pod conditions, and not both", i)
		}
		if !slices.Contains([]string{"Ignore", "Count", "FailIndex", "FailJob"}, r.Action) {
			t.Errorf("rule %d: action %s", i, r.Action)
		}
		if c := r.OnExitCodes; c != nil {
			if c.Operator != "In" || slices.Contains(c.Values, 0) || !slices.IsSorted(c.Values) || len(slices.Compact(slices.Clone(c.Values))) != len(c.Values) || len(c.Values) == 0 {
				t.Errorf("rule %d: values are to be sorted, each once, none 0: %+v", i, c)
			}
			if c.ContainerName != s.Template.Spec.Containers[0].Name {
				t.Errorf("rule %d: no container %s", i, c.ContainerName)
			}
		}
	}
	if finish.Spec.CompletionMode != "" || finish.Spec.BackoffLimitPerIndex != nil || !finish.Spec.Suspend {
		t.Errorf("the last Job is to wait, and has no indexes: %+v", finish.Spec)
	}
}

// TestManifestsKept protects what the pods depend on: disruptions and exit code
// 75 do not count, both Jobs mount what they use, the secret is only named, and
// names hang together.
func TestManifestsKept(t *testing.T) {
	k := testKubernetes()
	config, play, finish := parseManifests(t, k)
	if got, want := config.Data["config.json"], string(k.Config.Text()); got != want {
		t.Error(cmp.Diff(want, got))
	}
	want := []podFailureRule{
		{Action: "Ignore", OnPodConditions: []podCondition{{"DisruptionTarget", "True"}}},
		{Action: "Ignore", OnExitCodes: &exitCodes{"play", "In", []int{75, 143}}},
	}
	if diff := cmp.Diff(want, play.Spec.PodFailurePolicy.Rules); diff != "" {
		t.Error(diff)
	}
	for _, j := range []job{play, finish} {
		pod := j.Spec.Template.Spec
		for _, m := range pod.Containers[0].VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s mounts %s, which is no volume", j.Metadata.Name, m.Name)
			}
		}
		if pod.Volumes[0].ConfigMap.Name != config.Metadata.Name || j.Metadata.Namespace != "lab" {
			t.Errorf("%s does not find its config: %+v", j.Metadata.Name, pod.Volumes)
		}
		if pod.Volumes[2].PersistentVolumeClaim.ClaimName != "draughts" || pod.Containers[0].VolumeMounts[2].MountPath != "/data" {
			t.Errorf("%s does not keep what it plays: %+v", j.Metadata.Name, pod)
		}
	}
	k.Out, k.Claim, k.Mount, k.Secret = "s3://bucket/run", "", "", "s3-keys"
	_, play, finish = parseManifests(t, k)
	for _, j := range []job{play, finish} {
		pod := j.Spec.Template.Spec
		if diff := cmp.Diff([]envFrom{{nameRef{"s3-keys"}}}, pod.Containers[0].EnvFrom); diff != "" || len(pod.Volumes) != 2 {
			t.Errorf("%s: %s, volumes %+v", j.Metadata.Name, diff, pod.Volumes)
		}
	}
}

// TestPodScripts protects what the pods do: the scripts of the ConfigMap, run by
// a POSIX shell as a pod runs them, play the run that one machine plays, and the
// last one refuses to complete it before.
func TestPodScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds draughtlab")
	}
	k := testKubernetes()
	bin, etc := t.TempDir(), t.TempDir()
	k.Mount = t.TempDir()
	k.Out = filepath.Join(k.Mount, "it's a run")
	binary := buildProgram(t, bin)
	config, play, _ := parseManifests(t, k)
	for name, text := range config.Data {
		if err := os.WriteFile(filepath.Join(etc, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := func(name string, env ...string) (string, error) {
		cmd := exec.Command("sh", filepath.Join(etc, name))
		cmd.Env = append(os.Environ(), append(env, "PATH="+bin+":"+os.Getenv("PATH"))...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if play.Spec.Completions != 2 {
		t.Fatalf("%d tasks", play.Spec.Completions)
	}
	for _, task := range []string{"1", "0"} {
		if out, err := script("finish.sh"); err == nil {
			t.Errorf("it is complete before task %s: %s", task, out)
		}
		if out, err := script("play.sh", "JOB_COMPLETION_INDEX="+task); err != nil {
			t.Fatalf("task %s: %v: %s", task, err, out)
		}
	}
	out, err := script("finish.sh")
	if err != nil || !strings.Contains(out, "holds: 50 games") || !strings.Contains(out, "Draw rates:") {
		t.Fatalf("%v: %s", err, out)
	}
	local := filepath.Join(t.TempDir(), "local")
	if out, err := exec.Command(binary, "selfplay", "--config", filepath.Join(etc, "config.json"), "--out", local).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var hashes [2][]byte
	for i, dir := range []string{local, k.Out} {
		if hashes[i], err = exec.Command(binary, "hash", dir).Output(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(hashes[0], hashes[1]) {
		t.Errorf("the hash is %s, of the local run %s", hashes[1], hashes[0])
	}
}

// TestKubernetesRefused protects users from manifests that the API refuses, or
// whose pods would lose what they play.
func TestKubernetesRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*Kubernetes)
		want   string
	}{
		{func(k *Kubernetes) { k.PerTask = 0 }, "shards a task"},
		{func(k *Kubernetes) { k.CPUs = 0 }, "processors"},
		{func(k *Kubernetes) { k.Retries = -1 }, "retries"},
		{func(k *Kubernetes) { k.Image = "" }, "no image"},
		{func(k *Kubernetes) { k.Image = "a\nb" }, "control characters"},
		{func(k *Kubernetes) { k.Claim = "" }, "no claim"},
		{func(k *Kubernetes) { k.Claim = "Big Disk" }, "small letters"},
		{func(k *Kubernetes) { k.Out = "/elsewhere" }, "not on the volume"},
		{func(k *Kubernetes) { k.Out = "/data/../etc" }, "not on the volume"},
		{func(k *Kubernetes) { k.Out = "s3://bucket/run" }, "leave one of them out"},
		{func(k *Kubernetes) { k.Mount = "data" }, "mount path"},
		{func(k *Kubernetes) { k.Mount, k.Out = "/tmp", "/tmp/run" }, "something else is there"},
		{func(k *Kubernetes) { k.Claim, k.Mount, k.Out = "", "", "s3://bucket//run" }, "no empty parts"},
		{func(k *Kubernetes) { k.Out = "/data/\xff" }, "UTF-8"},
		{func(k *Kubernetes) { k.Retries = 1 << 31 }, "retries"},
		{func(k *Kubernetes) { k.User = 1 << 31 }, "user 2147483648"},
		{func(k *Kubernetes) { k.Parallelism = 0 }, "at a time"},
		{func(k *Kubernetes) { k.Memory = "plenty" }, "memory"},
		{func(k *Kubernetes) { k.Grace = 0 }, "to stop"},
		{func(k *Kubernetes) { k.User = 0 }, "root"},
		{func(k *Kubernetes) { k.Config.ShardGames, k.Config.Games, k.PerTask = 1, 100_001, 2 }, "at most 100000"},
	} {
		k := testKubernetes()
		c.change(&k)
		if text, err := k.Manifests(); err == nil || !strings.Contains(err.Error(), c.want) || text != "" {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
