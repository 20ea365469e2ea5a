#!/bin/sh
# One run. Its folder is the working directory, and every path is relative. Nobody needs to wait for this process: it
# feeds the agent's stdin, records its exit status, and stops it when the heartbeat falls silent or the folder is deleted.
# usage: sh shim.sh TICK MISSES GRACE DRAIN WORK FILES TASKS CPU agent args...
#   TICK to DRAIN and CPU in seconds; WORK: the agent's working directory; FILES, TASKS, CPU: limits that the kernel
#   holds each of its processes to, or - for none
#
#   started  made exclusively: an agent is started at most once a folder      id    "pid boot start\n" of the agent
#   in/1 2 … lines of stdin, each put whole by link(); in/eof: no more        wake  FIFO, door bell of the feeder
#   out err  what the agent said                                              life  FIFO, EOF when all is over
#   stop     why it was stopped, written before the first signal              exit  "code\n"
# Names that no run's environment has: what the shell is given exported, it hands on with the value that it gave it.
_tick=$1 _misses=$2 _grace=$3 _drain=$4 _work=$5 _files=$6 _tasks=$7 _cpu=$8
shift 8

set -C
true >started || exit 0 # not ":": a failed redirection of a special builtin ends the shell
set +C
exec </dev/null >>out 2>>err
mkfifo stdin wake life || exit 71
exec 3<>life 4<>wake # <> never blocks; 3 is the life line, 4 keeps its bytes when cortex dies
trap '' TERM INT HUP

# The calling shell as seen from outside: in a PID namespace $$ is another number, /proc/self/stat isn't.
ident() {
  if [ -r /proc/self/stat ]; then
    read -r _stat </proc/self/stat
    read -r _boot </proc/sys/kernel/random/boot_id
    _pid=${_stat%% *}
    set -- ${_stat##*) }
    echo "$_pid $_boot ${20}"
  else
    _pid=$(exec sh -c 'echo $PPID')
    echo "$_pid $(sysctl -n kern.bootsessionuuid) $(LC_ALL=C ps -o lstart= -p "$_pid")"
  fi
}

# What holds from the agent's first instruction, whoever watches over it. A limit that is lower already stays.
limit() {
  ulimit -c 0 # a core would hold its secrets
  [ "$_files" = - ] || ulimit -n "$_files"
  [ "$_cpu" = - ] || { ulimit -S -t "$_cpu" && ulimit -H -t $((_cpu + 5)); } # XCPU, and KILL for who doesn't care
  [ "$_tasks" = - ] || ulimit -u "$_tasks" || ulimit -p "$_tasks" # dash calls it p
  echo 500 >/proc/self/oom_score_adj # a system without memory takes it before what serves others
} 2>/dev/null

# The agent, in a session and group of its own (the command begins with what makes one): a signal to its group never
# meets the shim. The redirection is written out since sh gives a background job /dev/null.
(
  trap - TERM INT HUP
  ident >id
  exec <stdin 4>&-
  cd "$_work" || exit 72
  unset OLDPWD # it says where the journal is
  limit
  exec "$@"
) &
_agent=$!
exec >/dev/null 2>&1 # what this shell has to say of its jobs is not the agent's

# The feeder. It looks, then waits: a ring is never lost. When the agent is gone, cat dies of SIGPIPE.
(
  exec 3>&- >stdin
  n=1
  while :; do
    if [ -e in/$n ]; then
      cat in/$n || exit
      n=$((n + 1))
    elif [ -e in/eof ]; then
      exit
    else
      read -r _ <&4
    fi
  done
) &

lives() { kill -s 0 -- "-$_agent" 2>/dev/null; }
# Nobody can reach the run any more, nor learn how it ended. A folder that was only renamed still has its files.
is_deleted() { ! [ -e started ]; }
stop_group() {
  kill -s TERM -- "-$_agent" 2>/dev/null
  i=0
  while lives && [ $i -lt $(($1 * 10)) ]; do
    sleep 0.1
    i=$((i + 1))
  done
  kill -s KILL -- "-$_agent" 2>/dev/null
}

# The watchdog. It counts its own ticks, so that a suspended machine or a clock that jumps isn't silence. Where the clock
# was set back, what was seen lies ahead of all that is to come, and is brought back to the present.
(
  exec 3>&- 4>&-
  _miss=0
  true >seen
  while sleep "$_tick"; do
    if is_deleted; then
      stop_group "$_grace"
      kill -s KILL 0 # also an agent that was only being born, which has no group yet
      exit
    elif [ ../../heartbeat -nt seen ]; then
      true >seen
      _miss=0
    else
      true >present
      if [ seen -nt present ]; then true >seen; fi
      _miss=$((_miss + 1))
      if [ $_miss -ge "$_misses" ]; then
        [ -s stop ] || echo orphaned >stop
        stop_group "$_grace"
        kill -s 0 $$ 2>/dev/null || kill -s KILL 0 # the shim was killed: nobody else ends the feeder
        exit
      fi
    fi
  done
) &

wait $_agent
_code=$?
until { echo $_code >exit && [ -s exit ]; } || is_deleted; do sleep 1; done # a full disk: again

# What the agent left behind in its group may still speak for a moment, unless the run was stopped or nobody hears it.
i=0
while lives && ! [ -s stop ] && ! is_deleted && [ $i -lt $((_drain * 10)) ]; do
  sleep 0.1
  i=$((i + 1))
done
if lives; then stop_group 1; fi
kill -s KILL 0 # feeder, watchdog and us. As process 1 of a namespace we stay, and our exit ends all that is left in it
exit
