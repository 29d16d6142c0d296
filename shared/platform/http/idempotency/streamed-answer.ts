import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { renewing } from '../../../core/concurrency/renewal.ts';
import { eventStreamType, pingComment } from '../responses/server-sent-events.ts';
import { type BodyListener, type LoggedRun, streamedBody } from '../responses/streamed-body.ts';
import { type AnswerLock, type KeptAnswers, type Known, splitBody } from './kept-answers.ts';
import type { LiveParts } from './live-parts.ts';
import { openReaders, type Readers } from './readers.ts';
import { openCopy } from './stream-copy.ts';

const renewEveryMs = 5 * 60_000;

/** Hears the body that a request streams, if it does, so that its repetitions get it too. */
export function captureStream() {
  const copy = openCopy();
  let run: LoggedRun | undefined;
  let stream: { contentType: string; written: Promise<void> } | undefined;
  const readers = openReaders();
  const listener: BodyListener = {
    left: readers.stopWithout,
    begins: (contentType, written) => {
      stream = { contentType, written };
    },
    add: (text) => {
      if (!run) copy.add(text);
    },
    names: (named) => {
      run = named;
    },
  };
  return {
    listener,
    /** @returns when the body is complete and kept, or its run is named; undefined if the request streams nothing. */
    async keptBy(held: AnswerLock): Promise<{ kept: Promise<void> } | undefined> {
      if (!stream) return undefined;
      const { contentType, written } = stream;
      if (run) {
        await held.follows(run);
        const watch = readers.watch(held.live);
        return { kept: written.catch(() => {}).finally(watch.end) };
      }
      await held.streams(contentType);
      const failure = 'The lock of an idempotency key could not be kept';
      const { stop } = renewing(held.renew, { everyMs: renewEveryMs, failure });
      const sharing = shareWhileRead(held.live, copy.takeNew, readers);
      const keep = async () => {
        stop();
        await sharing.end();
        const body = copy.text();
        // What broke off before it said anything may be tried again.
        await (body === '' ? held.release() : held.keep({ status: 200, contentType, body }));
      };
      return { kept: written.then(keep, keep) };
    },
  };
}

/** Stores what a stream says while a repetition reads it. Nobody else pays more than the reads that find out. */
function shareWhileRead(live: LiveParts, takeNew: () => string, readers: Readers) {
  let n = 0;
  const share = async () => {
    for (const text of splitBody(takeNew())) await live.write(n++, text);
  };
  const watch = readers.watch(live, share);
  return {
    async end(): Promise<void> {
      await watch.end();
      if (n > 0) await share();
    },
  };
}

const pollMs = 500;
/** Often enough that the request knows of its reader. */
const pollsPerMark = 10;

/** The body that another request is streaming, from its beginning on. */
export function awaitedBody(answers: KeptAnswers, known: Known): Readable {
  const { contentType = '', name, holder } = known;
  const { stream } = streamedBody({
    contentType,
    keepAlive: contentType === eventStreamType ? pingComment : ' ',
    async writeBody(write, signal) {
      const live = answers.liveOf(known);
      let [n, polls] = [0, 0];
      for (let found: Known | undefined = known; found?.holder === holder; found = await answers.find(name)) {
        // The last part is stored before the answer.
        for (const text of await live.from(n)) {
          await write(text);
          n++;
        }
        if (found.answer && n === 0) await write(found.answer.body);
        if (found.answer) return;
        if (answers.isLost(found)) break;
        if (polls++ % pollsPerMark === 0) await live.read();
        await sleep(pollMs, undefined, { signal });
      }
      throw new Error('The request that answers has lost its process');
    },
  });
  return stream;
}
