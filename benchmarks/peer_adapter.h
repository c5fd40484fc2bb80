/* The interface between `./bench simple` and a library that it does not know.
 *
 * An adapter is a shared object that exports one function, whisker_peer_adapter. It returns a table of functions:
 *
 *     static const struct whisker_peer table = {WHISKER_PEER_VERSION, "mylib", make_shape, free_shape,
 *                                               prepare,              answer,  discard};
 *     const struct whisker_peer* whisker_peer_adapter(void) { return &table; }
 *
 *     cc -shared -fPIC -O3 mylib_adapter.c -lmylib -o mylib_adapter.so
 *     ./bench simple --peer mylib_adapter.so
 *
 * The suite makes the shapes, prepares a question about many pairs, has it answered again and again, and discards it.
 * Only `answer` is timed, by the processor time of the thread that calls it: it should not hand work to others. All
 * calls come from one thread. A call to `answer` may come from a child process first, which is thrown away.
 *
 * Lengths have no unit; shapes have sizes around 1. The interface is plain C.
 */
#ifndef WHISKER_PEER_ADAPTER_H
#define WHISKER_PEER_ADAPTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. An adapter with another version is refused. */
#define WHISKER_PEER_VERSION 1

/* The kinds of shapes, and the numbers that make one, in the shape's own frame. */
enum whisker_peer_kind {
  WHISKER_PEER_SPHERE = 0,     /* radius; centered at the origin */
  WHISKER_PEER_CAPSULE = 1,    /* radius, length: all points within `radius` of the segment from (0, 0, -length/2) to
                                  (0, 0, length/2) */
  WHISKER_PEER_BOX = 2,        /* edge lengths along x, y, z; centered at the origin */
  WHISKER_PEER_CYLINDER = 3,   /* radius, length: around the z axis, caps at z = -length/2 and length/2 */
  WHISKER_PEER_CONE = 4,       /* radius, length: base at z = -length/2, apex at (0, 0, length/2) */
  WHISKER_PEER_ELLIPSOID = 5,  /* semi-axes along x, y, z; centered at the origin */
  WHISKER_PEER_HALF_SPACE = 6, /* normal x, y, z, offset: all p with normal . p <= offset; any length of the normal */
  WHISKER_PEER_PLANE = 7,      /* the same, with normal . p == offset: thin, with two sides */
  WHISKER_PEER_SEGMENT = 8,    /* two ends: x, y, z, x, y, z */
  WHISKER_PEER_TRIANGLE = 9    /* three corners: x, y, z, x, y, z, x, y, z; thin, with two sides */
};

/* The questions, and what an answer means. NaN: the library gave up on this pair. */
enum whisker_peer_question {
  WHISKER_PEER_TOUCH = 0,    /* 1 if the two share a point, otherwise 0 */
  WHISKER_PEER_DISTANCE = 1, /* how far apart they are; only asked about pairs that are apart */
  WHISKER_PEER_DEPTH = 2     /* the length of the shortest translation after which they no longer overlap; only asked
                                about pairs that overlap */
};

/* Two placed shapes. A pose takes p to R p + t: the rows of R, then t. */
struct whisker_peer_pair {
  const void* a;
  const void* b;
  double pose_a[12];
  double pose_b[12];
};

struct whisker_peer {
  /* WHISKER_PEER_VERSION. */
  int version;

  /* The name in the table of results. No other peer may have it. */
  const char* name;

  /* A shape in the library's own form; null if the library does not have the kind. The numbers are only valid during
   * the call. */
  void* (*make_shape)(enum whisker_peer_kind kind, const double* numbers, size_t count);
  /* Frees a shape. It is not used any more. */
  void (*free_shape)(void* shape);

  /* Takes a question about pairs, which are all of the same two kinds, in this order. Returns anything that is not
   * null, or null if the library does not answer the question for these kinds. The pairs are only valid during the
   * call, the shapes until `discard`. Poses may be converted here; the answers are to be computed in `answer`. */
  void* (*prepare)(enum whisker_peer_question question, const struct whisker_peer_pair* pairs, size_t count);
  /* Writes one answer per pair. Called many times. */
  void (*answer)(void* prepared, double* answers);
  /* Frees what `prepare` returned. */
  void (*discard)(void* prepared);
};

/* The table. It must stay valid. */
const struct whisker_peer* whisker_peer_adapter(void);

#ifdef __cplusplus
}
#endif

#endif
