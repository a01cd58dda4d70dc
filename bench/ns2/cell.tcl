# One dumbbell in ns-2.35: the oracle that Tusker's own runs are held against.
#
#   ns cell.tcl key=value ...
#
#   group=AGENT[+hs]:COUNT:RATE[:DELAY[:STEP]]   once per group of flows, e.g.
#                       group=sack1:5:100Mb group=sack1+hs:5:1000Mb
#                       AGENT is reno, newreno or sack1; +hs is HighSpeed TCP
#                       (windowOption_ 8, 38, 83000, 1e-7, 0.1), +ghs is gHSTCP (reno
#                       and sack1 only; needs `make setup-ns2-laws`); RATE and DELAY
#                       are those of the access links on both sides (delay: access=);
#                       with STEP each flow's delay is that much longer than the one
#                       before it
#                       AGENT linux-LAW is Agent/TCP/Linux with select_ca LAW: reno
#                       highspeed scalable htcp bic cubic westwood vegas illinois. It
#                       has timestamps, 10 bytes of the headers' 50: packet= is what
#                       is on the wire all the same
#   rate=2500Mb         bottleneck R1 -> R2 (R2 -> R1 is the same wire, never full)
#   delay=50ms          its propagation delay, one way
#   back=DELAY          propagation delay of R2 -> R1, if it is another
#   udp=RATE:ON:OFF     background: an on-off UDP source (exponential periods in
#                       seconds) through the bottleneck, packets of the same size;
#                       with :BYTES behind it, of that size
#   buffer=10000        ns-2's limit_ of the bottleneck's queue, in packets. DropTail
#                       holds limit_ - 1 waiting packets, RED holds limit_; the packet
#                       in transmission comes on top in both
#   queue=DropTail      or RED, ARED (RED with adaptive_ 1), gARED (laws/laws.tcl)
#   red.X=V             Queue/RED set X_ V, for any X (thresh, maxthresh, q_weight,
#                       linterm, gentle, wait, bytes, queue_in_bytes, mean_pktsize ...).
#                       Our defaults differ from ns-2's in three places, because
#                       ns-2's assume 500-byte packets: mean_pktsize=PACKET,
#                       bytes=false, queue_in_bytes=false. red.raw=1 keeps ns-2's own
#   tcp.X=V             Agent/TCP set X_ V, for any X
#   ca.X=V              set_ca_param X V of every linux-LAW, an integer
#   access=1ms          delay of every access link
#   hostq=1000000       limit_ of the sending hosts' own queues (DropTail)
#   packet=1500         bytes of a data packet on the wire, 40 of them headers
#   start=1             flows start uniformly within so many seconds
#   seed=1  time=200    seconds to simulate
#   from=TIME/2         what says "latter half" is measured from here to the end
#   sample=0.01         distance of queue samples
#   gap=SECONDS         drops closer than this belong to one loss episode of the link;
#                       default: the longest propagation round trip of any flow
#   cwnd=FILE step=0.1  windows of all flows over time, as CSV
#   vars=FILE           every change of the first flow's cwnd, ssthresh, ACK, next number
#   packets=FILE        every packet at the bottleneck: ns-2's own trace format
#   pairs=FILE          of the first gHSTCP flow: every pair and decision
#   maxp=FILE           of gARED, at every interval: time, average queue, max_p
#
# It prints key=value lines; counts.tcl says what is counted where.

set t_begin [clock microseconds]
array set cfg {
    rate 2500Mb delay 50ms buffer 10000 queue DropTail access 1ms hostq 1000000
    packet 1500 start 1 seed 1 time 200 from "" sample 0.01 gap "" cwnd "" step 0.1
    back "" udp "" packets "" vars "" pairs "" maxp ""
}
set groups {}
set red {}
set tcpset {}
set caset {}
set redraw 0
foreach arg $argv {
    if {![regexp {^([^=]+)=(.*)$} $arg -> key value]} {
        puts stderr "cell.tcl: '$arg' is not key=value"; exit 2
    }
    if {$key eq "group"} {
        set part [split $value :]
        if {[llength $part] < 3 || [llength $part] > 5
                || ![regexp {^(reno|newreno|sack1|linux-[a-z]+)(\+g?hs)?$} [lindex $part 0] -> agent law]
                || ($law eq "+ghs" && $agent ni {reno sack1})} {
            puts stderr "cell.tcl: group=$value: expected AGENT\[+hs|+ghs\]:COUNT:RATE\[:DELAY\[:STEP\]\], AGENT one of reno newreno sack1 linux-LAW"
            exit 2
        }
        lappend groups [list [lindex $part 0] $agent $law [lindex $part 1] [lindex $part 2] [lindex $part 3] [lindex $part 4]]
    } elseif {$key eq "red.raw"} {
        set redraw $value
    } elseif {[regexp {^red\.(.+)$} $key -> name]} {
        lappend red $name $value
    } elseif {[regexp {^tcp\.(.+)$} $key -> name]} {
        lappend tcpset $name $value
    } elseif {[regexp {^ca\.(.+)$} $key -> name]} {
        lappend caset $name $value
    } elseif {[info exists cfg($key)]} {
        set cfg($key) $value
    } else {
        puts stderr "cell.tcl: unknown key '$key'; see the head of the file"; exit 2
    }
}
if {[llength $groups] == 0} { puts stderr "cell.tcl: no group=..."; exit 2 }
if {$cfg(from) eq ""} { set cfg(from) [expr {$cfg(time) / 2.0}] }
if {$cfg(back) eq ""} { set cfg(back) $cfg(delay) }

# Only these headers: with UDP in the run RTP is needed as well, or ns-2 corrupts
# packet sizes without a word.
remove-all-packet-headers
add-packet-header IP TCP Flags
if {$cfg(udp) ne ""} { add-packet-header RTP }
ns-random $cfg(seed)
set ns [new Simulator]
$ns use-scheduler Calendar
set rng [new RNG]
$rng seed $cfg(seed)

Agent/TCP set packetSize_ [expr {$cfg(packet) - 40}]
Agent/TCP set window_ 1000000
Agent/TCP set low_window_ 38
Agent/TCP set high_window_ 83000
Agent/TCP set high_p_ 0.0000001
Agent/TCP set high_decrease_ 0.1
foreach {name value} $tcpset { Agent/TCP set ${name}_ $value }

source [file join [file dirname [info script]] laws/laws.tcl]

set kind $cfg(queue)
if {$kind eq "ARED"} {
    set kind RED
    Queue/RED set adaptive_ 1
}
if {$kind eq "gARED"} { set kind RED }
if {$kind ni {DropTail RED}} { puts stderr "cell.tcl: queue=$cfg(queue): expected DropTail, RED, ARED or gARED"; exit 2 }
if {!$redraw} {
    Queue/RED set mean_pktsize_ $cfg(packet)
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
}
foreach {name value} $red { Queue/RED set ${name}_ $value }

set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 $cfg(rate) $cfg(delay) $kind
$ns simplex-link $r2 $r1 $cfg(rate) $cfg(back) DropTail
$ns queue-limit $r1 $r2 $cfg(buffer)
$ns queue-limit $r2 $r1 10000000
set queue [[$ns link $r1 $r2] queue]
set capacity [[[$ns link $r1 $r2] link] set bandwidth_]

# A monitor that knows early drops, with an integrator for the mean queue.
set monitor [new QueueMonitor/ED]
set integrator [new Integrator]
$monitor set-pkts-integrator $integrator
# The time of each drop goes to a file, for the episodes.
set link [$ns link $r1 $r2]
set dropfile [file tempfile dropname]
set droptrace [$ns create-trace Drop $dropfile $r1 $r2]
$droptrace target [$ns set nullAgent_]
set full [new SnoopQueue/Drop]
if {$cfg(packets) ne ""} { $ns trace-queue $r1 $r2 [open $cfg(packets) w] }
$link attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] $full $monitor
$full target $droptrace
if {$kind eq "RED"} {
    set early [new SnoopQueue/EDrop]
    $early set-monitor $monitor
    $early target $droptrace
    $queue early-drop-target $early
}
if {$cfg(queue) eq "gARED"} { gared $queue [expr {$cfg(maxp) eq "" ? "" : [open $cfg(maxp) w]}] }

# Seconds of a delay such as 50ms or 0.05.
proc seconds {delay} { return [expr {[string map {ms e-3 us e-6 s ""} $delay]}] }

# TCP-Linux with this law, and the sink that echoes its timestamps.
proc linux_agent {law} {
    global cfg caset
    set tcp [new Agent/TCP/Linux]
    $tcp set timestamps_ true
    $tcp set packetSize_ [payload linux-$law]
    $tcp select_ca $law
    foreach {name value} $caset { $tcp set_ca_param $law $name $value }
    set sink [new Agent/TCPSink/Sack1]
    $sink set ts_echo_rfc1323_ true
    return [list $tcp $sink]
}

proc agent_and_sink {agent} {
    switch $agent {
        reno    { return [list [new Agent/TCP/Reno] [new Agent/TCPSink]] }
        newreno { return [list [new Agent/TCP/Newreno] [new Agent/TCPSink]] }
        sack1   { return [list [new Agent/TCP/Sack1] [new Agent/TCPSink/Sack1]] }
        default { return [linux_agent [string range $agent 6 end]] }
    }
}

# Bytes of a packet that are data.
proc payload {agent} {
    global cfg
    return [expr {$cfg(packet) - ([string match linux-* $agent] ? 50 : 40)}]
}

set flows {}
set longest 0
foreach group $groups {
    lassign $group name agent law count rate delay apart
    if {$delay eq ""} { set delay $cfg(access) }
    if {$apart eq ""} { set apart 0 }
    set farthest [expr {[seconds $delay] + ($count - 1) * [seconds $apart]}]
    set trip [expr {[seconds $cfg(delay)] + [seconds $cfg(back)] + 4 * $farthest}]
    if {$trip > $longest} { set longest $trip }
    for {set i 0} {$i < $count} {incr i} {
        set own [expr {[seconds $delay] + $i * [seconds $apart]}]
        set s [$ns node]
        set d [$ns node]
        foreach {a b} [list $s $r1 $r1 $s $r2 $d $d $r2] {
            $ns simplex-link $a $b $rate $own DropTail
            $ns queue-limit $a $b 10000000
        }
        $ns queue-limit $s $r1 $cfg(hostq)
        switch $agent$law {
            reno+ghs  { set tcp [gentle_agent Reno];  set sink [new Agent/TCPSink] }
            sack1+ghs { set tcp [gentle_agent Sack1]; set sink [new Agent/TCPSink/Sack1] }
            default   { lassign [agent_and_sink $agent] tcp sink }
        }
        if {$law eq "+hs"} { $tcp set windowOption_ 8 }
        if {$law eq "+ghs" && $cfg(pairs) ne ""} { $tcp log $cfg(pairs); set cfg(pairs) "" }
        if {$cfg(vars) ne "" && $flows eq ""} {
            $tcp attach [open $cfg(vars) w]
            foreach v {cwnd_ ssthresh_ ack_ t_seqno_ dupacks_ nrexmit_} { $tcp trace $v }
        }
        $ns attach-agent $s $tcp
        $ns attach-agent $d $sink
        $ns connect $tcp $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp
        $ns at [$rng uniform 0 $cfg(start)] "$ftp start"
        set cuts [expr {[string match linux-* $agent] ? "ncwndcuts_" : "ncwndcuts1_"}]
        lappend flows [list $name $tcp $cuts]
    }
}

if {$cfg(gap) eq ""} { set cfg(gap) $longest }

if {$cfg(udp) ne ""} {
    lassign [split $cfg(udp) :] rate on off bytes
    if {$bytes eq ""} { set bytes $cfg(packet) }
    set s [$ns node]
    set d [$ns node]
    foreach {a b} [list $s $r1 $r2 $d] {
        $ns simplex-link $a $b 10000Mb $cfg(access) DropTail
        $ns queue-limit $a $b 10000000
    }
    set udp [new Agent/UDP]
    $udp set packetSize_ $bytes
    $ns attach-agent $s $udp
    set null [new Agent/Null]
    $ns attach-agent $d $null
    $ns connect $udp $null
    set source [new Application/Traffic/Exponential]
    foreach {key value} [list packetSize_ $bytes burst_time_ ${on}s idle_time_ ${off}s rate_ $rate] {
        $source set $key $value
    }
    $source attach-agent $udp
    $ns at 0 "$source start"
}

source [file join [file dirname [info script]] counts.tcl]

proc trace_windows {} {
    global ns flows csv cfg
    set row [format %.3f [$ns now]]
    foreach f $flows { append row [format ,%.3f [[lindex $f 1] set cwnd_]] }
    puts $csv $row
    $ns at [expr {[$ns now] + $cfg(step)}] trace_windows
}

$ns at $cfg(sample) sample
if {$cfg(cwnd) ne ""} {
    set csv [open $cfg(cwnd) w]
    set head time
    set n 0
    foreach f $flows { append head ",[lindex $f 0].$n"; incr n }
    puts $csv $head
    $ns at 0 trace_windows
}
$ns at $cfg(from) {set half [snapshot]}
$ns at $cfg(time) finish
set t_run [clock microseconds]
$ns run
