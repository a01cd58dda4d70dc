// gHSTCP for ns-2.35: Agent/TCP/Reno/Ghstcp and Agent/TCP/Sack1/Ghstcp.
//
// Written from section 3.2 of "Performance Analysis and Improvement of HighSpeed TCP with
// TailDrop/RED Routers" (Zhang, Hasegawa, Murata), as its authors must have added it to
// their ns-2. Only what section 3.2 adds is here; HSTCP, Reno and SACK are ns-2's own.
//
//   make setup-ns2-laws        builds target/ns2/ghstcp.so
//   load target/ns2/ghstcp.so  in a script of ns; then windowOption_ 8, as for HSTCP
//   $tcp log FILE              writes every pair, decision and end of a window of pairs
//
// Per ACK w <- w + a/w: a is HSTCP's in HSTCP mode, 1 in Reno mode. The mode follows from
// N pairs of departure time d and round trip t:
//
//   r = sum (d - mean d)(t - mean t) / sqrt(sum (d - mean d)^2 sum (t - mean t)^2)
//   Z = 1/2 ln((1 + r)/(1 - r)) sqrt(N - 3);   Z > 3.09: Reno mode, otherwise HSTCP mode
//
// What the paper leaves open, and what is done here:
//   - its denominator has one sum of products under the root: the correlation is meant
//   - when a window of N pairs begins: as soon as the last one has ended
//   - N: the window at the first pair, rounded down
//   - which ACKs give a pair: those of new data in congestion avoidance; none in slow
//     start or fast recovery, and none of segments that were sent twice. d is the time
//     stamp that the ACK echoes, when TCP sent the segment; both numbers are rounded to
//     nanoseconds, so that a constant round trip is constant
//   - r is not defined, or N is at most 3: no trend, HSTCP mode
//   - the ACK that completes N pairs grows the window in the mode that they decide
//   - a retransmission, by three duplicate ACKs or the timer: HSTCP mode, and the pairs
//     so far are forgotten
//   - the decrease is HSTCP's in both modes, by ns-2's own code

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "flags.h"
#include "ip.h"
#include "random.h"
#include "scoreboard-rq.h"
#include "scoreboard.h"
#include "tcp.h"
// Sack1TcpAgent, which ns-2 declares in no header: cut out of tcp-sack1.cc by build.sh
#include "sack1-agent.h"

namespace {

const double kThreshold = 3.09;

// Departure times and round trips of a window of segments, in nanoseconds.
class Pairs {
   public:
    void clear() {
        departed_.clear();
        trips_.clear();
    }

    void add(double departed, double trip) {
        departed_.push_back(departed);
        trips_.push_back(trip);
    }

    int count() const { return static_cast<int>(trips_.size()); }

    // 0 if it is not defined: all round trips, or all departures, are the same.
    double correlation() const {
        const double mean_d = mean(departed_), mean_t = mean(trips_);
        double dt = 0, dd = 0, tt = 0;
        for (size_t i = 0; i < trips_.size(); i++) {
            const double d = departed_[i] - departed_[0] - mean_d;
            const double t = trips_[i] - trips_[0] - mean_t;
            dt += d * t;
            dd += d * d;
            tt += t * t;
        }
        return dd > 0 && tt > 0 ? dt / std::sqrt(dd * tt) : 0;
    }

   private:
    // Relative to the first, so that large clock values cost no precision.
    static double mean(const std::vector<double>& values) {
        double sum = 0;
        for (size_t i = 0; i < values.size(); i++) sum += values[i] - values[0];
        return sum / static_cast<double>(values.size());
    }

    std::vector<double> departed_, trips_;
};

double nanoseconds(double seconds) { return std::floor(seconds * 1e9 + 0.5); }

template <class Base>
class Gentle : public Base {
   public:
    Gentle() : reno_mode_(false), wanted_(0), resent_(-1), log_(nullptr) {}

    ~Gentle() {
        if (log_) std::fclose(log_);
    }

    int command(int argc, const char* const* argv) override {
        if (argc == 3 && std::strcmp(argv[1], "log") == 0) {
            log_ = std::fopen(argv[2], "w");
            return log_ ? TCL_OK : TCL_ERROR;
        }
        // what this file's idea of the agent's layout says: a check of the headers
        if (argc == 2 && std::strcmp(argv[1], "layout") == 0) {
            Tcl::instance().resultf("%.3f %d", double(this->cwnd_), this->wnd_option_);
            return TCL_OK;
        }
        return Base::command(argc, argv);
    }

   protected:
    // Every segment that is sent.
    void output(int seqno, int reason = 0) override {
        if (seqno <= int(this->maxseq_)) {
            if (seqno > resent_) resent_ = seqno;
            forget();
        }
        Base::output(seqno, reason);
    }

    // An ACK of new data outside of fast recovery (in Reno, also the one that ends it).
    void recv_newack_helper(Packet* pkt) override {
        const hdr_tcp* header = hdr_tcp::access(pkt);
        if (!(this->cwnd_ < this->ssthresh_) && header->seqno_ > resent_) measure(header->ts_echo_);
        Base::recv_newack_helper(pkt);
    }

    // ns-2's growth by windowOption_: 8 is HSTCP's, 1 is Reno's.
    void opencwnd() override {
        const int option = this->wnd_option_;
        if (reno_mode_) this->wnd_option_ = 1;
        Base::opencwnd();
        this->wnd_option_ = option;
    }

   private:
    void forget() {
        if (log_) std::fprintf(log_, "resent %.9f\n", now());
        reno_mode_ = false;
        pairs_.clear();
    }

    void measure(double sent) {
        const double departed = nanoseconds(sent), trip = nanoseconds(now() - sent);
        if (pairs_.count() == 0) wanted_ = int(double(this->cwnd_));
        pairs_.add(departed, trip);
        if (log_)
            std::fprintf(log_, "pair %.9f %.0f %.0f %.12g\n", now(), departed, trip, double(this->cwnd_));
        if (pairs_.count() < wanted_) return;
        const int n = pairs_.count();
        const double r = pairs_.correlation();
        const double z = n > 3 ? 0.5 * std::log((1 + r) / (1 - r)) * std::sqrt(n - 3.0) : 0;
        reno_mode_ = z > kThreshold;
        if (log_) std::fprintf(log_, "decided %.9f %d %.12g %.12g %d\n", now(), n, r, z, reno_mode_);
        pairs_.clear();
    }

    static double now() { return Scheduler::instance().clock(); }

    bool reno_mode_;
    int wanted_;  // pairs to collect before the next decision
    int resent_;  // highest segment that was sent again
    Pairs pairs_;
    std::FILE* log_;
};

template <class Base>
class Entry : public TclClass {
   public:
    explicit Entry(const char* name) : TclClass(name) {}
    TclObject* create(int, const char* const*) override { return new Gentle<Base>; }
    void add() { bind(); }
};

}  // namespace

extern "C" int Ghstcp_Init(Tcl_Interp*) {
    static Entry<RenoTcpAgent> reno("Agent/TCP/Reno/Ghstcp");
    static Entry<Sack1TcpAgent> sack("Agent/TCP/Sack1/Ghstcp");
    reno.add();
    sack.add();
    return TCL_OK;
}
