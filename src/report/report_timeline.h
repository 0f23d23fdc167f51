#ifndef ESSE_REPORT_REPORT_TIMELINE_H
#define ESSE_REPORT_REPORT_TIMELINE_H

#include "report/report_panel.h"

/*
 * When the transactions of a panel ran, and what was done to the database meanwhile: a bar each
 * on one axis of time, and behind them a band for each fault.  There is nothing to show, and the
 * height is 0, unless their times are known and a fault overlaps them.  Private to the panels.
 *
 * Cost: O(boxes + faults) each.
 */
double panel_timeline_height(const struct panel *panel);
void panel_timeline_draw(struct esse_out *out, const struct panel *panel, double top);

#endif
