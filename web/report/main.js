// The script of a report; what it shows stands in the page already, as far as it can.

import { startCopying } from "./copy.js";
import { startLevels } from "./levels.js";
import { startPlots } from "./plots.js";
import { startTimeline } from "./timeline.js";

startCopying();
startLevels();
startTimeline();
startPlots();
