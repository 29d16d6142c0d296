import { setTimeout as sleep } from 'node:timers/promises';
import { renewing } from '../../../core/concurrency/renewal.ts';
import { eventStreamType, pingComment } from '../responses/server-sent-events.ts';
import { type BodyListener, type LoggedRun, streamedBody } from '../responses/streamed-body.ts';
import type { Held, KeptAnswers, Known } from './kept-answers.ts';
import { openCopy } from './stream-copy.ts';

const renewEveryMs = 5 * 60_000;

/** Hears the body that a request streams, if it does, so that its repetitions get it too. */
export function streamHeard() {
  const copy = openCopy();
  let run: LoggedRun | undefined;
  let stream: { contentType: string; written: Promise<void> } | undefined;
  const listener: BodyListener = {
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
    async keptBy(held: Held): Promise<{ kept: Promise<void> } | undefined> {
      if (!stream) return undefined;
      const { contentType, written } = stream;
      if (run) {
        await held.follows(run);
        return { kept: written.catch(() => {}) };
      }
      await held.streams(contentType);
      const failure = 'The lock of an idempotency key could not be kept';
      const { stop } = renewing(held.renew, { everyMs: renewEveryMs, failure });
      const keep = () => {
        stop();
        const body = copy.text();
        // What broke off before it said anything may be tried again.
        return body === '' ? held.release() : held.keep({ status: 200, contentType, body });
      };
      return { kept: written.then(keep, keep) };
    },
  };
}

const pollMs = 500;

/** The body that another request is streaming, once it is complete. Until then, the connection is kept open. */
export function awaitedBody(answers: KeptAnswers, known: Known): string {
  const { contentType = '', name, holder } = known;
  const { stream } = streamedBody({
    contentType,
    keepAlive: contentType === eventStreamType ? pingComment : ' ',
    async writeBody(write, signal) {
      for (let found: Known | undefined = known; found?.holder === holder && !answers.isLost(found); ) {
        if (found.answer) return void (await write(found.answer.body));
        await sleep(pollMs, undefined, { signal });
        found = await answers.find(name);
      }
      throw new Error('The request that answers has lost its process');
    },
  });
  // Middy accepts a stream as the body, although the type of a proxy result allows only text.
  return stream as unknown as string;
}
