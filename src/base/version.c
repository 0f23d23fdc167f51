#include "esse/esse.h"

const char *esse_version(void)
{
    return ESSE_VERSION;
}
