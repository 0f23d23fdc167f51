#ifndef ESSE_COLLECT_DRIVER_CLIENT_HIREDIS_H
#define ESSE_COLLECT_DRIVER_CLIENT_HIREDIS_H

#include "collect/driver/client_library.h"

#include <hiredis/hiredis.h>

/* What is called of hiredis, after esse_client_load(&esse_client_hiredis). */
/* clang-format off */
#define ESSE_HIREDIS(X) \
    X(freeReplyObject) X(redisReaderCreate) X(redisReaderFeed) X(redisReaderFree) \
    X(redisReaderGetReply)
/* clang-format on */

extern struct esse_hiredis {
#define X(name) __typeof__(&(name)) name;
    ESSE_HIREDIS(X)
#undef X
} esse_hiredis;

#define freeReplyObject     esse_hiredis.freeReplyObject
#define redisReaderCreate   esse_hiredis.redisReaderCreate
#define redisReaderFeed     esse_hiredis.redisReaderFeed
#define redisReaderFree     esse_hiredis.redisReaderFree
#define redisReaderGetReply esse_hiredis.redisReaderGetReply

#endif
