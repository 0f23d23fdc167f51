#ifndef ESSE_COLLECT_DRIVER_CLIENT_LIBPQ_H
#define ESSE_COLLECT_DRIVER_CLIENT_LIBPQ_H

#include "collect/driver/client_library.h"

#include <postgresql/libpq-fe.h>

/* What is called of PostgreSQL's client library, after esse_client_load(&esse_client_libpq). */
/* clang-format off */
#define ESSE_LIBPQ(X) \
    X(PQclear) X(PQcmdStatus) X(PQcmdTuples) X(PQconndefaults) X(PQconnectPoll) \
    X(PQconnectStartParams) X(PQconnectdbParams) X(PQconninfoFree) X(PQconsumeInput) \
    X(PQenterPipelineMode) X(PQerrorMessage) X(PQexec) X(PQfinish) X(PQflush) X(PQfreemem) \
    X(PQftype) X(PQgetCopyData) X(PQgetResult) X(PQgetisnull) X(PQgetlength) X(PQgetvalue) \
    X(PQisBusy) X(PQnfields) X(PQntuples) X(PQparameterStatus) X(PQping) X(PQpipelineSync) \
    X(PQputCopyData) X(PQreset) X(PQresultErrorField) X(PQresultErrorMessage) X(PQresultStatus) \
    X(PQsendPrepare) X(PQsendQuery) X(PQsendQueryParams) X(PQsendQueryPrepared) \
    X(PQsetNoticeReceiver) X(PQsetSingleRowMode) X(PQsetnonblocking) X(PQsocket) X(PQstatus) \
    X(PQtransactionStatus)
/* clang-format on */

extern struct esse_libpq {
#define X(name) __typeof__(&(name)) name;
    ESSE_LIBPQ(X)
#undef X
} esse_libpq;

#define PQclear              esse_libpq.PQclear
#define PQcmdStatus          esse_libpq.PQcmdStatus
#define PQcmdTuples          esse_libpq.PQcmdTuples
#define PQconndefaults       esse_libpq.PQconndefaults
#define PQconnectPoll        esse_libpq.PQconnectPoll
#define PQconnectStartParams esse_libpq.PQconnectStartParams
#define PQconnectdbParams    esse_libpq.PQconnectdbParams
#define PQconninfoFree       esse_libpq.PQconninfoFree
#define PQconsumeInput       esse_libpq.PQconsumeInput
#define PQenterPipelineMode  esse_libpq.PQenterPipelineMode
#define PQerrorMessage       esse_libpq.PQerrorMessage
#define PQexec               esse_libpq.PQexec
#define PQfinish             esse_libpq.PQfinish
#define PQflush              esse_libpq.PQflush
#define PQfreemem            esse_libpq.PQfreemem
#define PQftype              esse_libpq.PQftype
#define PQgetCopyData        esse_libpq.PQgetCopyData
#define PQgetResult          esse_libpq.PQgetResult
#define PQgetisnull          esse_libpq.PQgetisnull
#define PQgetlength          esse_libpq.PQgetlength
#define PQgetvalue           esse_libpq.PQgetvalue
#define PQisBusy             esse_libpq.PQisBusy
#define PQnfields            esse_libpq.PQnfields
#define PQntuples            esse_libpq.PQntuples
#define PQparameterStatus    esse_libpq.PQparameterStatus
#define PQping               esse_libpq.PQping
#define PQpipelineSync       esse_libpq.PQpipelineSync
#define PQputCopyData        esse_libpq.PQputCopyData
#define PQreset              esse_libpq.PQreset
#define PQresultErrorField   esse_libpq.PQresultErrorField
#define PQresultErrorMessage esse_libpq.PQresultErrorMessage
#define PQresultStatus       esse_libpq.PQresultStatus
#define PQsendPrepare        esse_libpq.PQsendPrepare
#define PQsendQuery          esse_libpq.PQsendQuery
#define PQsendQueryParams    esse_libpq.PQsendQueryParams
#define PQsendQueryPrepared  esse_libpq.PQsendQueryPrepared
#define PQsetNoticeReceiver  esse_libpq.PQsetNoticeReceiver
#define PQsetSingleRowMode   esse_libpq.PQsetSingleRowMode
#define PQsetnonblocking     esse_libpq.PQsetnonblocking
#define PQsocket             esse_libpq.PQsocket
#define PQstatus             esse_libpq.PQstatus
#define PQtransactionStatus  esse_libpq.PQtransactionStatus

#endif
