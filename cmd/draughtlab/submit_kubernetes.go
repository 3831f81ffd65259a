package main

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
	"draughtlab/selfplay/submit"
)

// submitKubernetesFlags are the flags of submit kubernetes.
type submitKubernetesFlags struct {
	submitFlags
	kubernetes submit.Kubernetes
	claim      string
}

// newSubmitKubernetesCommand makes `draughtlab submit kubernetes`.
func newSubmitKubernetesCommand() *cobra.Command {
	f := &submitKubernetesFlags{}
	k := &f.kubernetes
	cmd := &cobra.Command{
		Use:   "kubernetes DIR|CONFIG --image IMAGE --out PLACE",
		Short: "Write manifests that play a run as a Kubernetes Job",
		Long: `Writes YAML for the run planned in DIR, or for a config.json: a ConfigMap, an
Indexed Job whose tasks play the shards, and a suspended Job that completes,
verifies and summarises the dataset. The first lines of the YAML say how to
start and resume them. DIR stays here; PLACE is where the pods write, a
directory on the volume of --claim or s3://BUCKET/PREFIX.

The image needs draughtlab and a POSIX shell in its PATH. The claim must be
writeable from many nodes (ReadWriteMany). Credentials are never written into
the YAML: --secret names a Secret whose keys become environment variables.

Pods that are evicted or stopped on request (exit code 75) count as no failure.
Any other failure is tried again --retries times; the Job fails when a tenth of
the tasks has failed for good. That needs Kubernetes 1.29 or newer.`,
		Example: `  draughtlab submit kubernetes runs/big --image example.org/draughtlab:1 \
      --claim draughts:/data --out /data/big -o big.yaml
  kubectl apply -f big.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	f.register(flags, submit.MaxKubernetesTasks, "a path in the containers")
	flags.StringVar(&k.Image, "image", "", "container image with draughtlab and a shell")
	flags.StringVar(&k.Out, "out", "", "where the pods keep the run: a directory on the claim's volume, or s3://BUCKET/PREFIX")
	flags.StringVar(&f.claim, "claim", "", "volume to keep the run on, as `CLAIM:PATH`: a PersistentVolumeClaim and where the containers have it")
	flags.StringVar(&k.Secret, "secret", "", "Secret with the credentials of the bucket as environment variables")
	flags.StringVar(&k.Namespace, "namespace", "", "namespace of the objects (default that of kubectl)")
	flags.IntVar(&k.Parallelism, "parallelism", 16, "run at most so many tasks at a time")
	flags.StringVar(&k.Memory, "memory", "1Gi", "memory of a task")
	flags.IntVar(&k.Grace, "grace", 60, "seconds a task has to finish its games when its pod is stopped")
	flags.IntVar(&k.User, "user", 65532, "number of the user and group of the containers, which can write to the volume")
	flags.IntVar(&f.retries, "retries", 3, "start a failed task again at most so often")
	for _, name := range []string{"image", "out"} {
		_ = cmd.MarkFlagRequired(name) // it fails only for a flag that is not there
	}
	return cmd
}

func (f *submitKubernetesFlags) run(cmd *cobra.Command, planned string) error {
	config, err := submittedConfig(planned)
	if err != nil {
		return err
	}
	k := f.kubernetes
	if k.Run, err = f.deal(cmd, config); err != nil {
		return err
	}
	if f.claim != "" {
		var ok bool
		if k.Claim, k.Mount, ok = strings.Cut(f.claim, ":"); !ok || k.Claim == "" {
			return fmt.Errorf("--claim %s: write CLAIM:PATH, such as draughts:/data", f.claim)
		}
	}
	k.Inputs, err = f.inputs(config, func(file inputFile) (string, error) {
		return file.path, inContainer(file.flag, file.path)
	})
	if err != nil {
		return err
	}
	if err := f.checkTables(config); err != nil {
		return err
	}
	if f.tables != "" {
		if err := inContainer("tables", f.tables); err != nil {
			return err
		}
		k.Tables = f.tables
	}
	text, err := k.Manifests()
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), text)
}

// submittedConfig reads the config of a run directory, or a config file itself.
func submittedConfig(name string) (selfplay.Config, error) {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return plannedConfig(name)
	}
	text, err := dataset.ReadFile(name, maxSettings)
	if err != nil {
		return selfplay.Config{}, err
	}
	return selfplay.ParseConfig(name, text)
}

// inContainer checks that a path can be meant to be one of a container.
func inContainer(flag, name string) error {
	if !path.IsAbs(name) {
		return fmt.Errorf("--%s %s: give the absolute path that it has in the containers", flag, name)
	}
	return nil
}
