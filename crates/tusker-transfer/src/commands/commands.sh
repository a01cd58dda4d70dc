# What to type for a row. A part begins with "## HOST STEP [if CONDITION..]"; a command is a
# paragraph, and the comment before it says what it is for. Names in @ are filled in.

## receiver prepare
# needs iperf3 and rsync (on Debian: apt-get install iperf3 rsync). Fill in the sender's address
# and the folder to write to, which must exist. A firewall has to let the sender in on TCP ports
# 873 and 5201
SENDER=192.0.2.1 TO=/data/in

# save the settings, the first time only. Those below hold for all new connections of this host,
# until they are undone or the host is started again
test -e /etc/tusker-receiver.conf || \
  sysctl net.core.rmem_max net.ipv4.tcp_rmem net.ipv4.tcp_mem \
  > /etc/tusker-receiver.conf

# the most that a socket buffer of one connection may grow to: @PAYLOAD@ of payload, and the
# kernel's bookkeeping
sysctl -w net.core.rmem_max=@BUFFER@

sysctl -w net.ipv4.tcp_rmem='4096 131072 @BUFFER@'

## receiver prepare if memory
# all connections together may use @MEMORY@ of RAM: be sure that it is free (`free -h`). tcp_mem
# counts pages of 4096 bytes, and is raised if it is too small
test "$(cut -f 3 /proc/sys/net/ipv4/tcp_mem)" -ge @PAGES@ || \
  sysctl -w net.ipv4.tcp_mem='@LOW@ @MIDDLE@ @PAGES@'

## receiver prepare
# a server for one test of the path (TCP port 5201), in the background. Before another test, paste
# this command again
iperf3 -s -1 -D -I /run/tusker-iperf3.pid

# an rsync server for the folder (TCP port 873), in the background: only the sender's address with
# the password may write. It does not use ssh, whose own window of 2 MB would limit a connection,
# so the files are not encrypted on the way. It runs as root to keep the files' owners
test -e /etc/tusker-rsync.secret || (umask 077
  od -An -N 16 -tx1 /dev/urandom | tr -d ' ' | \
  sed s/^/tusker:/ > /etc/tusker-rsync.secret)

printf '%s\n' 'pid file = /run/tusker-rsyncd.pid' '[tusker]' "path = $TO" \
  'read only = no' 'uid = root' 'gid = root' "hosts allow = $SENDER" \
  'auth users = tusker' 'secrets file = /etc/tusker-rsync.secret' \
  > /etc/tusker-rsyncd.conf

test -e /run/tusker-rsyncd.pid || \
  rsync --daemon --config=/etc/tusker-rsyncd.conf

# the password, which was made here at random: copy it into the first line of the sender
cut -d : -f 2 /etc/tusker-rsync.secret

## sender prepare
# needs iperf3, rsync and tmux. Paste this and the next block in tmux, or the transfer ends when
# you log out: `tmux new -s tusker` begins a session, and `tmux attach -t tusker` returns to it.
# Fill in the receiver's address, the folder to send, and the password that the receiver shows
RECEIVER=192.0.2.2 FROM=/data/out; export RSYNC_PASSWORD=fill-in

# save the settings, the first time only. Those below hold for all new connections of this host,
# until they are undone or the host is started again
test -e /etc/tusker-sender.conf || \
  sysctl net.core.wmem_max net.ipv4.tcp_wmem net.ipv4.tcp_mem \
  net.ipv4.tcp_congestion_control > /etc/tusker-sender.conf

# the most that a socket buffer of one connection may grow to: @PAYLOAD@ of payload, and the
# kernel's bookkeeping
sysctl -w net.core.wmem_max=@BUFFER@

sysctl -w net.ipv4.tcp_wmem='4096 16384 @BUFFER@'

## sender prepare if memory
# all connections together may use @MEMORY@ of RAM: be sure that it is free (`free -h`). tcp_mem
# counts pages of 4096 bytes, and is raised if it is too small
test "$(cut -f 3 /proc/sys/net/ipv4/tcp_mem)" -ge @PAGES@ || \
  sysctl -w net.ipv4.tcp_mem='@LOW@ @MIDDLE@ @PAGES@'

## sender prepare if load
# get the congestion control
@LOAD@

## sender prepare if same
# the congestion control, for all new connections of this host
sysctl -w net.ipv4.tcp_congestion_control=@CC@

## sender prepare if differs
# the congestion control, for all new connections of this host. The plan simulated it with
# @DIFFERS@; these commands do not set that in Linux, so its rate and harm may differ
sysctl -w net.ipv4.tcp_congestion_control=@CC@

## sender prepare if fq
# this congestion control sends at a rate of its own, which `fq` keeps to best
ip -o route get "$RECEIVER" | \
  sed 's/.* dev //; s/ .*//' > /run/tusker-sender.device

tc qdisc replace dev "$(cat /run/tusker-sender.device)" \
  root fq

## sender prepare if maxrate
# the buffer of the bottleneck is short, so packets are spread over the round trip, and no
# connection sends at more than the path's rate, or twice its share of it. The plan simulated it
# without
ip -o route get "$RECEIVER" | \
  sed 's/.* dev //; s/ .*//' > /run/tusker-sender.device

tc qdisc replace dev "$(cat /run/tusker-sender.device)" \
  root fq maxrate @MAXRATE@bit

## sender test
# a test of the path for 150 s, from memory to memory: it tests no disk. It loads the path as the
# transfer will, so this is the time to see what others on the path lose. Its line `receiver`
# ([SUM] of several connections) should have about @GOODPUT@. With half of that, the transfer takes
# twice as long: then the path loses more, has a smaller buffer than @ROUTER@ or carries more than
# the plan assumes, a host is too slow, or two minutes are too short for a long path
iperf3 -c "$RECEIVER" -P @STREAMS@@TEST@ -O 30 -t 120

## sender transfer if one
# the transfer. If it is interrupted, paste the command below again, in a new shell after the
# first line of this host: rsync skips files that are finished, and begins an unfinished one anew.
# With `-a --append-verify` instead of `-aW --inplace` it continues an unfinished file where it
# stopped; use this only if no file has changed since
rsync -aW --inplace "$FROM/" "rsync://tusker@$RECEIVER/tusker/"

## sender transfer if many
# divide the files into @STREAMS@ lists of about the same size: one rsync for each, with a
# connection that lasts. Split files that are much larger than the rest; empty folders stay behind
rm -f /var/lib/tusker-files.*

(cd "$FROM" && find . ! -type d -printf '%s %p\0') | sort -znr | \
  cut -zd ' ' -f 2- | split -t '\0' -n r/@STREAMS@ - /var/lib/tusker-files.

# the transfer. If it is interrupted, paste the command below again, in a new shell after the
# first line of this host: rsync skips files that are finished, and begins an unfinished one anew.
# With `-a --append-verify` instead of `-aW --inplace` it continues an unfinished file where it
# stopped; use this only if no file has changed since. What each rsync did is in
# /var/log/tusker-rsync.*; a list that was not sent to its end is named
(for list in /var/lib/tusker-files.*; do
  rsync -aW --inplace --from0 --files-from="$list" \
    --log-file="/var/log/tusker-rsync.${list##*.}" "$FROM/" \
    "rsync://tusker@$RECEIVER/tusker/" || echo "not sent: $list" >&2 &
done; wait)

## receiver undo
# end the servers; that of the test has ended if there was a test
pkill -F /run/tusker-iperf3.pid 2>/dev/null; pkill -F /run/tusker-rsyncd.pid

# restore the settings
sysctl -p /etc/tusker-receiver.conf && \
  rm -f /etc/tusker-receiver.conf /etc/tusker-rsyncd.conf \
  /etc/tusker-rsync.secret

## sender undo
# restore the settings
sysctl -p /etc/tusker-sender.conf && \
  rm -f /etc/tusker-sender.conf /var/lib/tusker-files.*

## sender undo if device
# give the device its default queue again
tc qdisc del dev "$(cat /run/tusker-sender.device)" root
rm -f /run/tusker-sender.device

## sender undo if unload
# unload the congestion control; not if it was in use before, or still is
@UNLOAD@
