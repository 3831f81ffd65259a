// perft.cpp: an independent move generator for Croda, Russian and Frisian
// draughts, to measure draughtlab's generator against and to check it with.
//
// It was written from engine/RULES.md (articles C1, R1, F1 … are cited) and
// shares neither code nor layout with the Go generators:
//
//   - A game is a type: its rules are known when its code is compiled, and so
//     is the side to move. Nothing is looked up while moves are generated.
//   - A square is a bit. White's base is at the low end, forward is a left
//     shift. The boards of dark squares leave gaps between their rows, so that
//     each step is one shift without masks: what leaves the board falls on a
//     gap or out of the word.
//   - A move is what it changes: three words to XOR into the position.
//   - Which men can move or capture is found for all men at once; only the
//     pieces that do capture are followed one by one.
//
// Read Croda, Russian and Frisian first, then Generator.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

using Bits = uint64_t;

enum Color { White, Black };
constexpr Color other(Color c) { return Color(1 - c); }

// ---------------------------------------------------------------- directions

// Dirs is a list of directions. A direction is the distance of its shift.
template <int... D> struct Dirs {};

// each calls f with every direction, as a constant.
template <int... D, class F> [[gnu::always_inline]] constexpr void each(Dirs<D...>, F f) {
    (f(std::integral_constant<int, D>{}), ...);
}

// forward are a game's directions of White's men, turned for Black.
template <Color Us, int... D> constexpr auto forward(Dirs<D...>) {
    return Dirs<(Us == White ? D : -D)...>{};
}

template <int D> constexpr Bits shift(Bits b) {
    if constexpr (D > 0) return b << D;
    else return b >> -D;
}

// ----------------------------------------------------------------- the games

// Position has the pieces of both sides and the kings of both. The side to
// move is not in it: it is a template argument of whatever looks at it.
struct Position {
    Bits pieces[2];
    Bits kings;
    bool operator==(const Position&) const = default;
};

// A Run tells the king that made a side's last quiet moves, and how many in a
// row, 1 to 3 (F9); no run is all zero.
struct Run {
    uint8_t square, moves;
    bool operator==(const Run&) const = default;
};

struct PositionWithRuns : Position {
    Run run[2];
    bool operator==(const PositionWithRuns&) const = default;
};

// Move is what changes: own and opponent's pieces, and kings of both sides.
struct Move {
    Bits own, opp, kings;
};

struct MoveWithRun : Move {
    Run run; // of the side that moved
};

// Article is what the draw articles say of a position. While one is counting
// that will end the game, repetition does not (G6).
enum class Article { Silent, Counting, Drawn };

// Rows are the squares of a board of dark squares, width a row, row 0 White's
// base with a square on the left edge. left is the shift to the upper left,
// left+1 that to the upper right; two rows up are 2*left+1.
template <int width, int left> struct Rows {
    static constexpr int first(int row) { return row / 2 * (2 * left + 1) + row % 2 * (left + 1); }
    static constexpr Bits row(int r) { return ((Bits(1) << width) - 1) << first(r); }
    static constexpr Bits rows(int from, int to) { // to is included
        Bits b = 0;
        for (int r = from; r <= to; r++) b |= row(r);
        return b;
    }
};

struct Croda {
    using Position = ::Position;
    using Move = ::Move;
    using ManSteps = Dirs<7, 8, 9>;            // C2
    using KingSteps = Dirs<8, -8, 1, -1>;      // C4
    using Captures = Dirs<8, -8, 1, -1>;       // C3, C5
    static constexpr bool majority = true;     // C6
    static constexpr bool promotesInPassing = false, kingRuns = false; // C7
    static constexpr Bits board = ~Bits(0);
    static constexpr Bits crown[2] = {Bits(0xff) << 56, 0xff};
    static constexpr Bits start[2] = {0xffffff, Bits(0xffffff) << 40}; // C1

    // step moves all pieces at once, and none over the left or right edge.
    template <int D> static constexpr Bits step(Bits b) {
        constexpr Bits fileA = 0x0101010101010101, fileH = fileA << 7;
        if constexpr (D == 1 || D == 9 || D == -7) b &= ~fileH;
        if constexpr (D == -1 || D == -9 || D == 7) b &= ~fileA;
        return shift<D>(b);
    }
    static int value(const Position&, Bits taken, bool) { return std::popcount(taken); }
    static Article article(const Position&, int, bool) { return Article::Silent; } // C8
    static int square(std::string_view s) { // "a1" to "h8", else -1
        if (s.size() != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8') return -1;
        return (s[1] - '1') * 8 + s[0] - 'a';
    }
};

struct Russian {
    using Position = ::Position;
    using Move = ::Move;
    using Board = Rows<4, 4>;
    using ManSteps = Dirs<4, 5>;               // R2
    using KingSteps = Dirs<4, 5, -4, -5>;      // R4
    using Captures = Dirs<4, 5, -4, -5>;       // R3, R5
    static constexpr bool majority = false;    // R6
    static constexpr bool promotesInPassing = true, kingRuns = false; // R8
    static constexpr Bits board = Board::rows(0, 7);
    static constexpr Bits crown[2] = {Board::row(7), Board::row(0)};
    static constexpr Bits start[2] = {Board::rows(0, 2), Board::rows(5, 7)}; // R1

    template <int D> static constexpr Bits step(Bits b) { return shift<D>(b); }
    static int value(const Position&, Bits, bool) { return 0; }
    // R9: three kings against one, 30 plies since the last capture or promotion.
    static Article article(const Position& p, int sinceChange, bool) {
        Bits all = p.pieces[White] | p.pieces[Black];
        bool threeToOne = std::popcount(all) == 4 && std::popcount(p.pieces[White]) % 2 == 1;
        if (all != p.kings || !threeToOne) return Article::Silent;
        return sinceChange >= 30 ? Article::Drawn : Article::Counting;
    }
    static int square(std::string_view s) {
        int at = Croda::square(s), file = at % 8, row = at / 8;
        return at < 0 || (file + row) % 2 != 0 ? -1 : Board::first(row) + file / 2;
    }
};

struct Frisian {
    using Position = PositionWithRuns;
    using Move = MoveWithRun;
    using Board = Rows<5, 6>;
    using ManSteps = Dirs<6, 7>;                              // F2
    using KingSteps = Dirs<6, 7, -6, -7>;                     // F4
    using Captures = Dirs<6, 7, -6, -7, 1, -1, 13, -13>;      // F3, F5
    static constexpr bool majority = true;                    // F6
    static constexpr bool promotesInPassing = false, kingRuns = true; // F8, F9
    static constexpr Bits board = Board::rows(0, 9);
    static constexpr Bits crown[2] = {Board::row(9), Board::row(0)};
    static constexpr Bits start[2] = {Board::rows(0, 3), Board::rows(6, 9)}; // F1

    template <int D> static constexpr Bits step(Bits b) { return shift<D>(b); }
    // F6: a man counts 128 and a king 254. So n kings are 2n short of 2n men
    // in units of a 128th man: less than 2n men, more than 2n-1, and less than
    // any capture of the same sum with fewer kings. F7: one more for a king.
    static int value(const Position& p, Bits taken, bool byKing) {
        return 128 * std::popcount(taken) + 126 * std::popcount(taken & p.kings) + byKing;
    }
    // F10: two kings against one, 14 plies; one against one at once, unless
    // the side to move can capture or the kings stand on 5 and 46.
    static Article article(const Position& p, int sinceChange, bool canCapture) {
        Bits all = p.pieces[White] | p.pieces[Black];
        int n = std::popcount(all);
        if (n > 3 || all != p.kings || !p.pieces[White] || !p.pieces[Black]) return Article::Silent;
        if (n == 3) return sinceChange >= 14 ? Article::Drawn : Article::Counting;
        constexpr Bits corners = Bits(1) << 63 | 1;
        return canCapture || all == corners ? Article::Silent : Article::Drawn;
    }
    static int square(std::string_view s) { // "1" to "50", else -1
        int n = std::atoi(std::string(s).c_str());
        return n < 1 || n > 50 ? -1 : Board::first(9 - (n - 1) / 5) + (n - 1) % 5;
    }
};

// ----------------------------------------------------------------- the moves

// MoveList has room for more moves than any known position has (723).
template <class G> struct MoveList {
    static constexpr int room = 1024;
    int size = 0;
    typename G::Move moves[room];

    MoveList() {} // leaves the moves as they are
    const typename G::Move* begin() const { return moves; }
    const typename G::Move* end() const { return moves + size; }
};

// make sets q to the position after the move m of Us in p.
template <class G, Color Us>
[[gnu::always_inline]] inline void make(const typename G::Position& p, const typename G::Move& m,
                                        typename G::Position& q) {
    constexpr Color Them = other(Us);
    q.pieces[Us] = p.pieces[Us] ^ m.own;
    q.pieces[Them] = p.pieces[Them] ^ m.opp;
    q.kings = p.kings ^ m.kings;
    if constexpr (G::kingRuns) {
        q.run[Us] = m.run;
        q.run[Them] = p.run[Them];
        // F9: the king was captured, or the last man.
        if (m.opp && q.run[Them].moves) {
            if (m.opp >> q.run[Them].square & 1 || !(q.pieces[Them] & ~q.kings)) q.run[Them] = {};
        }
    }
}

// Generator finds the moves of Us in one position.
template <class G, Color Us> class Generator {
    using Position = typename G::Position;
    using Move = typename G::Move;
    using List = MoveList<G>;
    using Forward = decltype(forward<Us>(typename G::ManSteps{}));
    template <int D> static constexpr Bits step(Bits b) { return G::template step<D>(b); }

    // jumpable[s] are the neighbours of s that have a square behind them, along
    // the lines of capture. That square is as far again.
    static constexpr std::array<Bits, 64> jumpable = [] {
        std::array<Bits, 64> table{};
        for (int s = 0; s < 64; s++) {
            each(typename G::Captures{}, [&](auto d) {
                Bits next = step<d>(Bits(1) << s & G::board) & G::board;
                if (step<d>(next) & G::board) table[s] |= next;
            });
        }
        return table;
    }();

    const Position& p;
    const Bits men, kings, opp, empty;

    // The capture in hand: the piece's start, the squares it may cross and land
    // on (G1), whether it began as a king, and where its moves begin in out.
    List* out = nullptr;
    Bits from = 0, open = 0;
    bool startedAsKing = false;
    int mark = 0;
    int best = 0; // value of the captures in out

  public:
    explicit Generator(const Position& p)
        : p(p), men(p.pieces[Us] & ~p.kings), kings(p.pieces[Us] & p.kings), opp(p.pieces[other(Us)]),
          empty(G::board & ~(p.pieces[White] | p.pieces[Black])) {}

    // list puts all moves into list, each once (G4); captures only, if there
    // are any (G3).
    void list(List& list) {
        out = &list;
        out->size = 0;
        Bits capturers = capturingMen();
        if (capturers || kingCanCapture()) captures(capturers);
        else quiet();
    }

    // count is the number of moves; quiet ones are counted without a list.
    uint64_t count() {
        Bits capturers = capturingMen();
        if (capturers || kingCanCapture()) {
            List captured;
            out = &captured;
            captures(capturers);
            return captured.size;
        }
        uint64_t n = 0;
        each(Forward{}, [&](auto d) { n += std::popcount(step<d>(men) & empty); });
        for (Bits left = kings & ~boundKing(); left; left &= left - 1) {
            each(typename G::KingSteps{}, [&](auto d) {
                for (Bits to = step<d>(left & -left) & empty; to; to = step<d>(to) & empty) n++;
            });
        }
        return n;
    }

  private:
    // boundKing is the king that may make no quiet move now (F9).
    Bits boundKing() const {
        if constexpr (G::kingRuns) {
            if (men && p.run[Us].moves >= 3) return Bits(1) << p.run[Us].square;
        }
        return 0;
    }

    void quiet() {
        Move* next = out->moves;
        each(Forward{}, [&](auto d) {
            for (Bits left = step<d>(men) & empty; left; left &= left - 1) {
                Bits to = left & -left;
                *next++ = Move{to | shift<-d>(to), 0, to & G::crown[Us]};
            }
        });
        for (Bits left = kings & ~boundKing(); left; left &= left - 1) {
            Bits at = left & -left;
            each(typename G::KingSteps{}, [&](auto d) {
                for (Bits to = step<d>(at) & empty; to; to = step<d>(to) & empty) *next++ = kingMove(at, to);
            });
        }
        out->size = next - out->moves;
    }

    Move kingMove(Bits at, Bits to) const {
        Move m{at | to, 0, at | to};
        if constexpr (G::kingRuns) {
            if (men) { // a side without men is never bound (F9)
                bool goesOn = p.run[Us].moves && p.run[Us].square == std::countr_zero(at);
                m.run = {uint8_t(std::countr_zero(to)), uint8_t(goesOn ? p.run[Us].moves + 1 : 1)};
            }
        }
        return m;
    }

    [[gnu::always_inline]] Bits capturingMen() const {
        Bits found = 0;
        each(typename G::Captures{}, [&](auto d) { found |= step<-d>(step<-d>(empty) & opp); });
        return found & men;
    }

    // kingCanCapture looks along each direction for all kings at once.
    bool kingCanCapture() const {
        if (!kings) return false;
        Bits found = 0;
        each(typename G::Captures{}, [&](auto d) {
            Bits reached = kings;
            for (Bits b = kings; (b = step<d>(b) & empty);) reached |= b;
            found |= step<d>(step<d>(reached) & opp) & empty;
        });
        return found;
    }

    void captures(Bits capturers) {
        for (; capturers; capturers &= capturers - 1) {
            begin(capturers & -capturers, false);
            manJumps(from, 0);
        }
        for (Bits left = kings; left; left &= left - 1) {
            begin(left & -left, true);
            kingJumps(from, 0);
        }
    }

    void begin(Bits at, bool king) {
        from = at, open = empty | at, startedAsKing = king, mark = out->size;
    }

    // manJumps follows all captures of a man that stands on at and has taken
    // some pieces already (they block until the end, G2); false if none.
    bool manJumps(Bits at, Bits taken) {
        bool any = false;
        int square = std::countr_zero(at);
        for (Bits left = jumpable[square] & opp & ~taken; left; left &= left - 1) {
            Bits victim = left & -left;
            Bits land = Bits(1) << (2 * std::countr_zero(victim) - square) & open;
            if (!land) continue;
            any = true;
            if (G::promotesInPassing && land & G::crown[Us]) { // R8
                if (!kingJumps(land, taken | victim)) add(land, taken | victim, land);
            } else if (!manJumps(land, taken | victim)) {
                add(land, taken | victim, land & G::crown[Us]); // C7, F8
            }
        }
        return any;
    }

    bool kingJumps(Bits at, Bits taken) {
        bool any = false;
        each(typename G::Captures{}, [&](auto d) { any |= kingJump<d>(at, taken); });
        return any;
    }

    // kingJump follows all captures of a king on at that begin in direction D.
    template <int D> bool kingJump(Bits at, Bits taken) {
        Bits victim = step<D>(at);
        while (victim & open) victim = step<D>(victim);
        victim &= opp & ~taken;
        Bits first = step<D>(victim) & open, last = 0;
        if (!first) return false;
        taken |= victim;
        bool goesOn = false;
        for (Bits land = first; land; land = step<D>(land) & open) {
            each(typename G::Captures{}, [&](auto d) {
                if constexpr (d != D && d != -D) goesOn |= kingJump<d>(land, taken);
            });
            last = land;
        }
        // Straight on, the next piece is the same from each landing square.
        goesOn |= kingJump<D>(last, taken);
        if (goesOn) return true; // R7; elsewhere a longer capture is worth more
        for (Bits land = first; land; land = step<D>(land) & open) {
            add(land, taken, startedAsKing ? from ^ land : land);
        }
        return true;
    }

    // add takes a finished capture into the list, unless another is worth more
    // or it is there already by another route. ownKings is what the move
    // changes of its own side's kings.
    void add(Bits to, Bits taken, Bits ownKings) {
        if constexpr (G::majority) {
            int value = G::value(p, taken, startedAsKing);
            if (value < best) return;
            if (value > best) best = value, out->size = mark = 0;
        }
        Move m{from ^ to, taken, ownKings | (taken & p.kings)};
        if (taken & (taken - 1)) { // one piece has one route
            for (int i = mark; i < out->size; i++) {
                const Move& o = out->moves[i];
                if (o.own == m.own && o.opp == m.opp && o.kings == m.kings) return;
            }
        }
        if (out->size == List::room) {
            std::fprintf(stderr, "perft: more than %d captures in one position\n", List::room);
            std::abort();
        }
        out->moves[out->size++] = m;
    }
};

// ---------------------------------------------------------------- what it does

// keep makes the compiler write p to memory, as if somebody looked at it.
template <class P> [[gnu::always_inline]] inline void keep(const P& p) {
    asm volatile("" : : "m"(p));
}

// perft counts the sequences of depth moves, depth >= 1. Every position is
// made, those after the last move too, as engine.Perft does; with Bulk those
// are only counted.
template <class G, Color Us, bool Bulk> uint64_t perft(const typename G::Position& p, int depth) {
    if (Bulk && depth == 1) return Generator<G, Us>(p).count();
    MoveList<G> list;
    Generator<G, Us>(p).list(list);
    uint64_t n = 0;
    typename G::Position q;
    for (const auto& m : list) {
        make<G, Us>(p, m, q);
        if (depth > 1) n += perft<G, other(Us), Bulk>(q, depth - 1);
        else keep(q);
    }
    return depth > 1 ? n : list.size;
}

// Random is splitmix64 (Steele, Lea, Flood 2014).
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    int below(int n) { return int((unsigned __int128)next() * n >> 64); }
};

// Tally is what came of the random games.
struct Tally {
    uint64_t games = 0, plies = 0, whiteWins = 0, blackWins = 0, draws = 0, repetitions = 0, cutOff = 0;
};

// Playout plays random games from the start, by the basic draw articles. A
// game ends by the third repetition too, unless that is left out, and by the
// ply limit (G6).
template <class G> class Playout {
    static constexpr int mostPlies = 1000;
    const int limit;
    const bool repetition;
    Random random;
    MoveList<G> list;
    std::array<typename G::Position, mostPlies + 1> line;
    int ply = 0, sinceChange = 0, sinceMan = 0;

  public:
    Tally tally;

    // With repetition the limit is 300 plies, without it 1000.
    Playout(uint64_t seed, bool repetition)
        : limit(repetition ? 300 : mostPlies), repetition(repetition), random{seed} {}

    void game(const typename G::Position& start) {
        line[0] = start;
        ply = sinceChange = sinceMan = 0;
        while (turn<White>() && turn<Black>()) {}
        tally.games++;
        tally.plies += ply;
    }

  private:
    // turn looks whether the game is over, a win before any draw (G3), and
    // makes a move if it is not.
    template <Color Us> bool turn() {
        const auto& p = line[ply];
        Generator<G, Us>(p).list(list);
        if (list.size == 0) {
            (Us == White ? tally.blackWins : tally.whiteWins)++;
            return false;
        }
        Article a = G::article(p, sinceChange, list.moves[0].opp != 0);
        if (a == Article::Drawn) return tally.draws++, false;
        if (repetition && a == Article::Silent && repeated()) return tally.repetitions++, false;
        if (ply == limit) return tally.cutOff++, false;

        const auto& m = list.moves[random.below(list.size)];
        bool man = !(m.own & p.pieces[Us] & p.kings);
        sinceMan = man || m.opp ? 0 : sinceMan + 1;
        sinceChange = m.opp || (man && m.kings) ? 0 : sinceChange + 1;
        make<G, Us>(p, m, line[ply + 1]);
        ply++;
        return true;
    }

    bool repeated() const {
        int seen = 1;
        for (int i = ply - 2; i >= ply - sinceMan; i -= 2) {
            if (line[i] == line[ply] && ++seen == 3) return true;
        }
        return false;
    }
};

// ------------------------------------------------------------ the command line

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "perft: %s\n"
        "usage: perft perft VARIANT DEPTH [bulk] [FEN [RUN...]]\n"
        "       perft playouts VARIANT GAMES SEED [norepetition]\n"
        "VARIANT is croda, russian or frisian. A RUN is a Frisian king run (F9), W28,3:\n"
        "White's king on 28 has made 3 quiet moves in a row. Prints, tab separated:\n"
        "perft, variant, nodes, seconds; or playouts, variant, games, seconds, plies,\n"
        "wins of White, of Black, draws by an article, by repetition, cut off.\n"
        "norepetition: no repetition, and games are cut off at 1000 plies, not at 300,\n"
        "as `draughtlab bench` plays them.\n", what.c_str());
    std::exit(1);
}

uint64_t number(const char* s) {
    char* end;
    uint64_t n = std::strtoull(s, &end, 10);
    if (*s < '0' || *s > '9' || *end) fail(std::string(s) + " is no number");
    return n;
}

template <class G> int squareOf(std::string_view s) {
    int at = G::square(s);
    if (at < 0) fail("no square: " + std::string(s));
    return at;
}

template <class G> typename G::Position startPosition() {
    typename G::Position p{};
    p.pieces[White] = G::start[White], p.pieces[Black] = G::start[Black];
    return p;
}

// parseFEN reads side:W<pieces>:B<pieces>, without ranges (G9).
template <class G> typename G::Position parseFEN(std::string_view fen, Color& side) {
    typename G::Position p{};
    if (fen.size() < 2 || fen[1] != ':') fail("no position: " + std::string(fen));
    side = fen[0] == 'B' ? Black : White;
    Color owner = White;
    for (size_t i = 2; i < fen.size();) {
        size_t end = std::min(fen.find_first_of(",:", i), fen.size());
        std::string_view piece = fen.substr(i, end - i);
        i = end + 1;
        if (piece.starts_with('W') || piece.starts_with('B')) {
            owner = piece[0] == 'B' ? Black : White;
            piece.remove_prefix(1);
        }
        if (piece.empty()) continue;
        bool king = piece[0] == 'K';
        Bits at = Bits(1) << squareOf<G>(piece.substr(king));
        p.pieces[owner] |= at;
        if (king) p.kings |= at;
    }
    return p;
}

// parseRun reads W28,3 into p.
template <class G> void parseRun(std::string_view s, typename G::Position& p) {
    if constexpr (G::kingRuns) {
        size_t comma = s.find(',');
        if (comma == s.npos || (s[0] != 'W' && s[0] != 'B')) fail("no king run: " + std::string(s));
        int at = squareOf<G>(s.substr(1, comma - 1));
        p.run[s[0] == 'B'] = {uint8_t(at), uint8_t(number(s.data() + comma + 1))};
    } else fail("this game has no king runs");
}

template <class G, bool Bulk> uint64_t perftOf(const typename G::Position& p, Color side, int depth) {
    return side == White ? perft<G, White, Bulk>(p, depth) : perft<G, Black, Bulk>(p, depth);
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class G> void runPerft(int argc, char** argv) {
    int depth = int(number(argv[3])), next = 4;
    if (depth < 1 || depth > 100) fail("a depth is 1 to 100");
    bool bulk = next < argc && std::strcmp(argv[next], "bulk") == 0;
    next += bulk;
    auto p = startPosition<G>();
    Color side = White;
    if (next < argc) p = parseFEN<G>(argv[next++], side);
    for (; next < argc; next++) parseRun<G>(argv[next], p);

    auto begin = std::chrono::steady_clock::now();
    uint64_t n = bulk ? perftOf<G, true>(p, side, depth) : perftOf<G, false>(p, side, depth);
    std::printf("perft\t%s\t%llu\t%.6f\n", argv[2], (unsigned long long)n, secondsSince(begin));
}

template <class G> void runPlayouts(int argc, char** argv) {
    if (argc < 5) fail("playouts needs a number of games and a seed");
    uint64_t games = number(argv[3]);
    Playout<G> playout(number(argv[4]), !(argc > 5 && std::strcmp(argv[5], "norepetition") == 0));
    auto start = startPosition<G>();
    auto begin = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < games; i++) playout.game(start);
    double seconds = secondsSince(begin);
    const Tally& t = playout.tally;
    std::printf("playouts\t%s\t%llu\t%.6f", argv[2], (unsigned long long)t.games, seconds);
    for (uint64_t n : {t.plies, t.whiteWins, t.blackWins, t.draws, t.repetitions, t.cutOff}) {
        std::printf("\t%llu", (unsigned long long)n);
    }
    std::printf("\n");
}

template <class G> void run(int argc, char** argv) {
    std::string_view what = argv[1];
    if (what == "perft") runPerft<G>(argc, argv);
    else if (what == "playouts") runPlayouts<G>(argc, argv);
    else fail("unknown command " + std::string(what));
}

int main(int argc, char** argv) {
    if (argc < 4) fail("too few arguments");
    std::string_view variant = argv[2];
    if (variant == "croda") run<Croda>(argc, argv);
    else if (variant == "russian") run<Russian>(argc, argv);
    else if (variant == "frisian") run<Frisian>(argc, argv);
    else fail("unknown variant " + std::string(variant));
}
