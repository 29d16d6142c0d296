import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ServiceError, unprocessable } from '../../../core/errors/errors.ts';
import type { Scope } from '../../data/scope.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import type { OpenRequest } from '../open-requests.ts';
import { type LoggedRun, withBodyListener } from '../responses/streamed-body.ts';
import {
  type AnswerLock,
  type HttpAnswer,
  type KeptAnswers,
  type Known,
  keptAnswers,
} from './kept-answers.ts';
import { readWhileOpen } from './readers.ts';
import { keptAnswerName, requestFingerprint } from './request-names.ts';
import { awaitedBody, captureStream } from './streamed-answer.ts';

interface KeyedRequest {
  endpoint: AnyEndpoint;
  event: APIGatewayProxyEvent;
  scope: Scope;
  caller: string;
  key: string;
  /** The response to a request that failed. */
  failureOf: (error: unknown) => APIGatewayProxyResult;
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
 * answer.
 * @param answer With a run, it answers with the events of that run.
 * @throws 409 while the earlier one is being answered; 422 if it was another request
 */
export async function once(
  request: KeyedRequest,
  answer: (run?: LoggedRun) => Promise<APIGatewayProxyResult>,
): Promise<Answered> {
  const { endpoint, event, scope, caller, key } = request;
  const answers = keptAnswers(scope);
  const name = keptAnswerName(caller, endpoint, event.pathParameters ?? {}, key);
  const fingerprint = requestFingerprint(key, endpoint, event);
  const taken = await answers.takeOrFind(name, fingerprint);
  if ('held' in taken) return firstAnswer(request, taken.held, answer);
  const { known } = taken;
  if (known.fingerprint !== fingerprint) throw keyReused();
  const { result, kept } = known.run
    ? { result: await answer(known.run) }
    : await repeated(request, answers, known);
  if (known.run) readWhileOpen(answers.liveOf(known), result.body);
  const headers = { ...result.headers, ...replayedHeader };
  return { result: { ...result, headers }, ...(kept && { kept }) };
}

async function firstAnswer(
  { endpoint: { shownOnce = [] }, failureOf }: KeyedRequest,
  held: AnswerLock,
  answer: () => Promise<APIGatewayProxyResult>,
): Promise<Answered> {
  const body = captureStream();
  try {
    const result = await withBodyListener(body.listener, answer);
    const streamed = await body.keptBy(held);
    if (streamed) return { result, ...streamed };
    if (isKept(result.statusCode)) {
      await held.keep({ ...answerOf(result), body: masked(result.body, shownOnce) });
    } else await held.release();
    return { result };
  } catch (error) {
    const failure = failureOf(error);
    await (isKept(failure.statusCode) ? held.keep(answerOf(failure)) : held.release());
    throw error;
  }
}

const answerOf = ({ statusCode: status, headers, body }: APIGatewayProxyResult): HttpAnswer => ({
  status,
  contentType: String(headers?.['content-type'] ?? ''),
  body,
});

async function repeated({ open }: KeyedRequest, answers: KeptAnswers, known: Known): Promise<Answered> {
  const { answer, contentType: streams } = known;
  if (answer) return { result: repetition(answer) };
  if (streams === undefined || answers.isLost(known)) throw keyInUse();
  const opened = await open();
  const stream = awaitedBody(answers, known);
  // Middy accepts a stream as the body, although the type of a proxy result allows only text.
  const body = stream as unknown as string;
  const kept = opened?.releasedAfter({ stream });
  return { result: repetition({ status: 200, contentType: streams, body }), ...(kept && { kept }) };
}

const repetition = ({ status, contentType, body }: HttpAnswer): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { 'content-type': contentType, 'cache-control': 'no-store' },
  body,
});

const keyReused = () =>
  unprocessable({
    code: 'IDEMPOTENCY_KEY_REUSED',
    message:
      'An earlier request with this Idempotency-Key had another body. Send a new key with a new request',
  });

const retryAfterSeconds = 1;
const keyInUse = () => {
  const message = 'The first request with this Idempotency-Key is still being answered. Send it again later';
  const details = [{ code: 'IDEMPOTENCY_KEY_IN_USE' as const, message }];
  return new ServiceError('CONFLICT', message, { details, retryAfterSeconds });
};

/** The JSON of an answer without the values that are shown once. @param paths Dotted; `*` stands for each element of a list. */
function masked(body: string, paths: readonly string[]): string {
  if (paths.length === 0) return body;
  const answer = JSON.parse(body);
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() as string;
    for (const place of placesAt(answer, names)) {
      if (typeof place?.[last] === 'string') place[last] = maskedValue(place[last]);
    }
  }
  return JSON.stringify(answer);
}

type Place = Record<string, string> | undefined;

const placesAt = (answer: unknown, names: readonly string[]): Place[] =>
  names.reduce<unknown[]>(
    (places, name) =>
      places.flatMap((place) =>
        name === '*' ? (Array.isArray(place) ? place : []) : [(place as Place)?.[name]],
      ),
    [answer],
  ) as Place[];

/** The prefix of a value such as `tv_live_` with 4 more characters, and its last 4; of a link, that of its token. */
function maskedValue(value: string): string {
  const start = value.startsWith('http') ? Math.max(value.indexOf('#'), value.indexOf('=')) + 1 : 0;
  const [prefix = ''] = /^(?:[a-z]+_)*/.exec(value.slice(start)) ?? [];
  return `${value.slice(0, start + prefix.length + 4)}…${value.slice(-4)}`;
}
