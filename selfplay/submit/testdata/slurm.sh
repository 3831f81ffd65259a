#!/bin/bash
# A throwaway Slurm on one machine, for tests: a controller and some nodes,
# without munge, systemd or cgroups, with timeouts of seconds.
#
#   slurm.sh DIR NODES PORT
#
# DIR, an absolute path, gets slurm.conf and all state; PORT and the NODES ports
# after it must be free. It says "ok" when all nodes are up, then takes commands
# line by line on standard input and says "ok" after each:
#
#   kill node NAME     kill -9 slurmd of the node, its steps and their processes
#   kill slurmd NAME   kill -9 slurmd alone: what runs on the node is orphaned
#   start node NAME
#   kill controller    kill -9 slurmctld
#   start controller
#
# At the end of standard input, so also when the test dies, it kills every
# process of this cluster and exits.
set -u
dir=$1 nodes=$2 port=$3
conf=$dir/slurm.conf
host=${HOSTNAME%%.*}
user=$(id -un)

# pids WORD prints the processes that were started with WORD, NAME=VALUE, in
# their environment and belong to this cluster.
pids() {
  local p
  for p in /proc/[0-9]*/environ; do
    if tr '\0' '\n' <"$p" | grep -Fxq "SLURM_CONF=$conf" && tr '\0' '\n' <"$p" | grep -Fxq "$1"; then
      p=${p#/proc/}
      echo "${p%/environ}"
    fi
  done 2>/dev/null # processes that have ended, or are not ours
}

# kill_all WORD kills those processes, and what they start meanwhile.
kill_all() {
  local found
  while found=$(pids "$1") && [[ -n $found ]]; do
    kill -9 $found 2>/dev/null
    sleep 0.05
  done
}

# env puts what it adds at the end, where the daemons, which write a title over
# the beginning of their environment, leave it to be found.
start_controller() { env SLURM_CONF="$conf" TEST_CONTROLLER=yes slurmctld; }

start_node() { env SLURM_CONF="$conf" TEST_NODE="$1" slurmd -N "$1"; }

all_idle() {
  local i
  for ((i = 0; i < 300; i++)); do
    [[ $(SLURM_CONF=$conf sinfo -h -N -o %t 2>/dev/null | grep -c '^idle$') == "$nodes" ]] && return
    sleep 0.1
  done
  echo "slurm.sh: after 30 seconds the nodes are not idle, see $dir/*.log" >&2
  return 1
}

down() {
  trap - EXIT
  kill_all "SLURM_CONF=$conf"
}
trap down EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$dir/state" "$dir/spool"
cat >"$conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
SlurmctldTimeout=10
SlurmdTimeout=6
MessageTimeout=5
KillWait=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n[1-$nodes] NodeHostName=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF

start_controller || exit
for ((n = 1; n <= nodes; n++)); do start_node "n$n" || exit; done
all_idle || exit
echo ok
while read -r verb kind name; do
  case "$verb $kind" in
    'kill node')
      kill_all "TEST_NODE=$name"
      kill_all "SLURMD_NODENAME=$name"
      ;;
    'kill slurmd') kill -9 "$(<"$dir/slurmd-$name.pid")" ;;
    'start node') start_node "$name" ;;
    'kill controller') kill_all TEST_CONTROLLER=yes ;;
    'start controller') start_controller ;;
    *) echo "slurm.sh: unknown command: $verb $kind $name" >&2 && exit 1 ;;
  esac
  echo ok
done
