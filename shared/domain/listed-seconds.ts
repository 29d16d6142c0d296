/** How long a run is listed that belongs to no stored flow, agent or tool. The others are listed as long as these exist. */
export const listedSeconds = 30 * 86_400;
