#ifndef ESSE_FORMATS_PEERS_H
#define ESSE_FORMATS_PEERS_H

#include "formats/formats.h"

/* The formats of the research tools: registers, integers all, described in docs/formats.md. */
extern const struct esse_format esse_format_plume, esse_format_awdit, esse_format_dbcop,
    esse_format_cobra;

#endif
