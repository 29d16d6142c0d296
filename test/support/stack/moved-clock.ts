/**
 * Loaded before a program (`NODE_OPTIONS=--import=…`): each SIGUSR2 moves its clock on by a minute. What waits for a time by then
 * is due, such as a message that is invisible. Only timers of ten seconds and more move: shorter ones are pauses between
 * requests, and those of Node itself are time limits of requests.
 */
const stepMs = 60_000;
const movedFromMs = 10_000;

const RealDate = Date;
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
let movedMs = 0;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, self) =>
    Reflect.construct(target, given.length === 0 ? [target.now() + movedMs] : given, self),
  get: (target, name) => (name === 'now' ? () => target.now() + movedMs : Reflect.get(target, name, target)),
});

interface Waiting {
  at: number;
  run: () => void;
}
const waiting = new Map<unknown, Waiting>();

globalThis.setTimeout = Object.assign((run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
  if (ms < movedFromMs) return realSetTimeout(run, ms, ...given);
  const fire = () => {
    waiting.delete(timer);
    realClearTimeout(timer);
    run(...given);
  };
  const timer = realSetTimeout(fire, ms);
  waiting.set(timer, { at: Date.now() + ms, run: fire });
  return timer;
}, realSetTimeout) as typeof setTimeout;

globalThis.clearTimeout = (timer) => {
  waiting.delete(timer);
  realClearTimeout(timer as NodeJS.Timeout);
};

process.on('SIGUSR2', () => {
  movedMs += stepMs;
  for (const { at, run } of [...waiting.values()]) if (at <= Date.now()) run();
});
