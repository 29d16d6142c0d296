/**
 * Answers requests with an `Idempotency-Key`: the first one answers and its answer is kept, later ones get the same answer
 * without doing anything.
 *
 * In order: acquire the lock or find the earlier request (`kept-answers.ts`); refuse a key that was used with another body;
 * then either answer and keep, or repeat. JSON is kept whole, without values that are shown once. A stream is kept when it has
 * been written to its end; meanwhile repetitions read its parts as they are stored, which happens only while one reads
 * (`kept-answers.ts`). Where a stream shows the events of a stored run, only the run is kept, and a repetition follows its log.
 *
 * `lambda/handle-request.ts` calls it around the handler. If the process crashes, repetitions get 409 until the lock ends, and
 * then the request runs again.
 */

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { startRenewal } from '../../../core/concurrency/renewal.ts';
import { ServiceError, unprocessable } from '../../../core/errors/errors.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { Scope } from '../../data/scope.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import type { OpenRequest } from '../open-requests.ts';
import { eventStreamType, pingComment } from '../responses/server-sent-events.ts';
import {
  type BodyListener,
  type LoggedRun,
  runWithListener,
  streamBody,
} from '../responses/streamed-body.ts';
import {
  type AnswerLock,
  type AnswerStore,
  answerStore,
  type EarlierRequest,
  type HttpAnswer,
  type LiveParts,
  splitBody,
} from './kept-answers.ts';
import { nameAnswer, requestFingerprint } from './request-names.ts';

interface KeyedRequest {
  endpoint: AnyEndpoint;
  event: APIGatewayProxyEvent;
  scope: Scope;
  caller: string;
  key: string;
  /** The response to a request that failed. */
  toFailure: (error: unknown) => APIGatewayProxyResult;
  /** Takes the place that this request has while it is open, as the first one did. @throws 429 if none is free */
  open: () => Promise<OpenRequest | undefined>;
}

/** After others, the same key tries again. */
const keptFailures: readonly number[] = [400, 404, 422];
const isKept = (status: number) => status < 300 || keptFailures.includes(status);

const replayedHeader = { 'Idempotent-Replayed': 'true' };

interface Answered {
  result: APIGatewayProxyResult;
  /** Settles when the answer is kept, which may be after its body has been sent. Never fails. */
  kept?: Promise<void>;
}

/**
 * Answers a request with an idempotency key, or repeats the answer to an earlier one. Costs a write, and one to keep the
 * answer (D24).
 * @param answer With a run, it answers with the events of that run.
 * @throws 409 while the earlier one is being answered; 422 if it was another request
 */
export async function answerIdempotently(
  request: KeyedRequest,
  answer: (run?: LoggedRun) => Promise<APIGatewayProxyResult>,
): Promise<Answered> {
  const { endpoint, event, scope, caller, key } = request;
  const answers = answerStore(scope);
  const name = nameAnswer(caller, endpoint, event.pathParameters ?? {}, key);
  const fingerprint = requestFingerprint(key, endpoint, event);
  const acquired = await answers.acquireOrFind(name, fingerprint);
  if ('lock' in acquired) return answerFirst(request, acquired.lock, answer);
  const { earlier } = acquired;
  if (earlier.fingerprint !== fingerprint) throw createKeyReused();
  const { result, kept } = earlier.run
    ? { result: await answer(earlier.run) }
    : await repeatAnswer(request, answers, earlier);
  if (earlier.run) readWhileOpen(answers.openLiveParts(earlier), result.body);
  const headers = { ...result.headers, ...replayedHeader };
  return { result: { ...result, headers }, ...(kept && { kept }) };
}

async function answerFirst(
  { endpoint: { shownOnce = [] }, toFailure }: KeyedRequest,
  lock: AnswerLock,
  answer: () => Promise<APIGatewayProxyResult>,
): Promise<Answered> {
  const body = captureStream();
  try {
    const result = await runWithListener(body.listener, answer);
    const streamed = await body.keepWith(lock);
    if (streamed) return { result, ...streamed };
    if (isKept(result.statusCode)) {
      // D25
      await lock.keep({ ...toAnswer(result), body: maskValues(result.body, shownOnce) });
    } else await lock.release();
    return { result };
  } catch (error) {
    const failure = toFailure(error);
    await (isKept(failure.statusCode) ? lock.keep(toAnswer(failure)) : lock.release());
    throw error;
  }
}

const toAnswer = ({ statusCode: status, headers, body }: APIGatewayProxyResult): HttpAnswer => ({
  status,
  contentType: String(headers?.['content-type'] ?? ''),
  body,
});

async function repeatAnswer(
  { open }: KeyedRequest,
  answers: AnswerStore,
  earlier: EarlierRequest,
): Promise<Answered> {
  const { answer, contentType: streams } = earlier;
  if (answer) return { result: toRepetition(answer) };
  if (streams === undefined || answers.isLost(earlier)) throw createKeyInUse();
  const opened = await open();
  const stream = followBody(answers, earlier);
  // Middy accepts a stream as the body, although the type of a proxy result allows only text.
  const body = stream as unknown as string;
  const kept = opened?.releaseAfter({ stream });
  return { result: toRepetition({ status: 200, contentType: streams, body }), ...(kept && { kept }) };
}

const toRepetition = ({ status, contentType, body }: HttpAnswer): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { 'content-type': contentType, 'cache-control': 'no-store' },
  body,
});

const createKeyReused = () =>
  unprocessable({
    code: 'IDEMPOTENCY_KEY_REUSED',
    message:
      'An earlier request with this Idempotency-Key had another body. Send a new key with a new request',
  });

const retryAfterSeconds = 1;
const createKeyInUse = () => {
  const message = 'The first request with this Idempotency-Key is still being answered. Send it again later';
  const details = [{ code: 'IDEMPOTENCY_KEY_IN_USE' as const, message }];
  return new ServiceError('CONFLICT', message, { details, retryAfterSeconds });
};

/** The JSON of an answer without the values that are shown once. @param paths Dotted; `*` stands for each element of a list. */
function maskValues(body: string, paths: readonly string[]): string {
  if (paths.length === 0) return body;
  const answer = JSON.parse(body);
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() as string;
    for (const parent of findParents(answer, names)) {
      if (typeof parent?.[last] === 'string') parent[last] = maskValue(parent[last]);
    }
  }
  return JSON.stringify(answer);
}

type Parent = Record<string, string> | undefined;

const findParents = (answer: unknown, names: readonly string[]): Parent[] =>
  names.reduce<unknown[]>(
    (places, name) =>
      places.flatMap((place) =>
        name === '*' ? (Array.isArray(place) ? place : []) : [(place as Parent)?.[name]],
      ),
    [answer],
  ) as Parent[];

/** The prefix of a value such as `tv_live_` with 4 more characters, and its last 4; of a link, that of its token. */
function maskValue(value: string): string {
  const start = value.startsWith('http') ? Math.max(value.indexOf('#'), value.indexOf('=')) + 1 : 0;
  const [prefix = ''] = /^(?:[a-z]+_)*/.exec(value.slice(start)) ?? [];
  return `${value.slice(0, start + prefix.length + 4)}…${value.slice(-4)}`;
}

/** The pieces of a text: those of one text that follow each other are kept as one. */
interface TextDelta {
  type: string;
  id?: string;
  toolCallId?: string;
  delta: string;
}

/** Longer bodies are kept as their first and their last event, which say what ran and how it ended. */
const charactersMax = 4_000_000;

/** Gathers the text of a streamed body without what only keeps its connection open. */
export function openCopy() {
  const kept: string[] = [];
  let last: TextDelta | undefined;
  let characters = 0;
  /** What was added since somebody took the text. */
  let fresh: string[] | undefined;

  function push(text: string, textDelta?: TextDelta): void {
    const before = textDelta && last && nameSource(textDelta) === nameSource(last) ? last : undefined;
    const whole = textDelta && { ...textDelta, delta: (before?.delta ?? '') + textDelta.delta };
    const frame = whole && before ? replaceData(text, whole) : text;
    const replaced = before ? kept.pop() : undefined;
    characters += frame.length - (replaced?.length ?? 0);
    last = whole;
    kept.push(frame);
    if (characters > charactersMax && kept.length > 2) {
      for (const dropped of kept.splice(1, kept.length - 2)) characters -= dropped.length;
    }
  }

  return {
    add(text: string): void {
      if (text.startsWith(':') || text.trim() === '') return;
      const event = readData(text);
      if (event?.type === 'ping') return;
      fresh?.push(text);
      push(text, event && 'delta' in event ? (event as TextDelta) : undefined);
    },
    text: () => kept.join(''),
    /** What was added since the last time; first, everything. */
    takeNew(): string {
      const taken = (fresh ?? kept).join('');
      fresh = [];
      return taken;
    },
  };
}

const nameSource = ({ type, id = '', toolCallId = '' }: TextDelta) => `${type} ${id} ${toolCallId}`;

const dataLine = /^data: (.*)$/m;

function readData(frame: string): (object & { type?: string }) | undefined {
  const [, data] = dataLine.exec(frame) ?? [];
  return data === undefined ? undefined : (parseExact(data) as object);
}

const replaceData = (frame: string, piece: TextDelta) =>
  frame.replace(dataLine, () => `data: ${JSON.stringify(piece)}`);

const renewEveryMs = 5 * 60_000;

/** Hears the body that a request streams, if it does, so that its repetitions get it too. */
function captureStream() {
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
    async keepWith(lock: AnswerLock): Promise<{ kept: Promise<void> } | undefined> {
      if (!stream) return undefined;
      const { contentType, written } = stream;
      if (run) {
        await lock.follows(run);
        const watch = readers.watch(lock.live);
        return { kept: written.catch(() => {}).finally(watch.end) };
      }
      await lock.streams(contentType);
      const failure = 'The lock of an idempotency key could not be kept';
      const { stop } = startRenewal(lock.renew, { everyMs: renewEveryMs, failure });
      const sharing = shareWhileRead(lock.live, copy.takeNew, readers);
      const keep = async () => {
        stop();
        await sharing.end();
        const body = copy.text();
        // What broke off before it said anything may be tried again.
        await (body === '' ? lock.release() : lock.keep({ status: 200, contentType, body }));
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
function followBody(answers: AnswerStore, earlier: EarlierRequest): Readable {
  const { contentType = '', name, holder } = earlier;
  const { stream } = streamBody({
    contentType,
    keepAlive: contentType === eventStreamType ? pingComment : ' ',
    async writeBody(write, signal) {
      const live = answers.openLiveParts(earlier);
      let [n, polls] = [0, 0];
      for (
        let found: EarlierRequest | undefined = earlier;
        found?.holder === holder;
        found = await answers.find(name)
      ) {
        // The last part is stored before the answer.
        for (const text of await live.readFrom(n)) {
          await write(text);
          n++;
        }
        if (found.answer && n === 0) await write(found.answer.body);
        if (found.answer) return;
        if (answers.isLost(found)) break;
        if (polls++ % pollsPerMark === 0) await live.markRead();
        await sleep(pollMs, undefined, { signal });
      }
      throw new Error('The request that answers has lost its process');
    },
  });
  return stream;
}

const lookEveryMs = 2_000;
/** A client whose connection broke off repeats its request soon. */
const looksInVain = 3;

type Readers = ReturnType<typeof openReaders>;

/** The repetitions that read what a request streams. */
function openReaders() {
  let stop: (() => void) | undefined;
  let [looks, isWatched] = [0, false];

  return {
    /** The client of the request has left: unless a repetition reads, or begins to within seconds, nobody needs the rest. */
    stopWithout(stopWriting: () => void): void {
      stop = stopWriting;
      looks = 0;
      if (!isWatched) stop();
    },
    /** @param whileRead Is called every 2 s while a repetition reads; without it, nobody looks until the client has left. */
    watch(live: LiveParts, whileRead?: () => Promise<void>) {
      let looking = Promise.resolve();
      const look = async () => {
        if (!stop && !whileRead) return;
        const isRead = await live.isRead();
        looks = isRead ? 0 : looks + 1;
        if (isRead) await whileRead?.();
        else if (looks >= looksInVain) stop?.();
      };
      isWatched = true;
      const timer = setInterval(() => {
        looking = looking.then(look);
      }, lookEveryMs);
      return {
        end(): Promise<void> {
          clearInterval(timer);
          return looking;
        },
      };
    },
  };
}

const markEveryMs = 3_000;

/** Lets a request know that a repetition follows its run. Costs nothing where the run has ended and is told of at once. */
function readWhileOpen(live: LiveParts, body: unknown): void {
  if (!(body instanceof Readable)) return;
  const timer = setInterval(() => void live.markRead(), markEveryMs);
  body.once('close', () => clearInterval(timer));
}
