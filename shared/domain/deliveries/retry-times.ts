const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(count * 60);
const hours = (count: number) => minutes(count * 60);

/** The pauses after failed attempts: together a day, less a quarter of an hour. */
const pausesMs = [
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(8),
  hours(8),
];

/** The pause after the n-th failed attempt, from 1; undefined after the last one. */
export const pauseAfterMs = (tries: number): number | undefined => pausesMs[tries - 1];
