# What ns-2's RED does to one source of constant rate: the numbers that
# ../queue_ns2.rs expects. Prints the average queue (mean and largest, sampled
# every 10 ms from 20 s to 200 s) and max_p at the end.
#
#   ns red_cbr.tcl LOAD GENTLE WAIT W_Q ADAPTIVE MIN_TH ON OFF
#
# LOAD is the source's rate over the link's (10 Mbit/s); it is on for ON seconds,
# then off for OFF seconds, from 0.01 s on. w_q 0 is 1 - exp(-1/C).
foreach {load gentle wait w_q adaptive min_th on off} $argv break
set ns [new Simulator]
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1500
Queue/RED set thresh_ $min_th
Queue/RED set maxthresh_ 0
Queue/RED set q_weight_ $w_q
Queue/RED set gentle_ $gentle
Queue/RED set wait_ $wait
Queue/RED set adaptive_ $adaptive
Queue/RED set bottom_ 0.01
Queue/RED set linterm_ 10
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b 10Mb 1ms RED
$ns queue-limit $a $b 1000
set red [[$ns link $a $b] queue]
set udp [new Agent/UDP]
$udp set packetSize_ 1500
$ns attach-agent $a $udp
set sink [new Agent/Null]
$ns attach-agent $b $sink
$ns connect $udp $sink
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1500
$cbr set rate_ [expr $load * 10e6]
$cbr attach-agent $udp
for {set t 0.01} {$t < 200} {set t [expr $t + $on + $off]} {
    $ns at $t "$cbr start"
    if {$off > 0} { $ns at [expr $t + $on] "$cbr stop" }
}
set n 0
set sum 0.0
set largest 0.0
proc sample {} {
    global ns red n sum largest
    set avg [$red set ave_]
    incr n
    set sum [expr $sum + $avg]
    if {$avg > $largest} { set largest $avg }
    $ns at [expr [$ns now] + 0.01] sample
}
proc finish {} {
    global red n sum largest
    puts [format "avg %.3f largest %.2f max_p %.4f" [expr $sum / $n] $largest [$red set cur_max_p_]]
    exit 0
}
$ns at 20 sample
$ns at 200 finish
$ns run
