import { fillerOf } from '../../adapters/templates/filler.ts';
import { waitForCallbackStep } from '../../domain/flows/step-types/wait-for-callback.ts';
import {
  httpStatusError,
  type PlannedRequest,
  plannedRequest,
  timeoutMsOf,
} from '../step-support/http-request.ts';
import { defineActingRunner, type StepPerforming } from '../step-support/step-runner.ts';
import { awaiting, noAnswer } from '../step-support/wait-time.ts';

/** Stands for the address, which is known when the wait is open. */
const placeholder = 'https://callback.invalid/address';

export const waitForCallback = defineActingRunner(waitForCallbackStep, {
  async plan({ config: { announce }, variables, ports }) {
    const filler = fillerOf({ ...variables, callbackUrl: placeholder }, ports.sandbox);
    return { request: { announcement: announce && (await plannedRequest(announce.http, filler)) } };
  },

  async perform({ announcement }, step) {
    const { config, ports, place } = step;
    const { timeoutMinutes, announce } = config;
    const at = place();
    const wait = await ports.waits.open(at.path, async () => ({
      kind: 'callback',
      place: at,
      timeoutMinutes,
    }));
    if (announcement && announce && !wait.isAnnounced && !wait.answer) {
      const request = withAddress(announcement, wait.callbackUrl ?? '');
      await send(request, timeoutMsOf(announce.http), step);
      await ports.waits.announced(at.path);
    }
    const expiresAt = new Date(wait.expiresAt);
    const isOver = !wait.answer && ports.now() >= expiresAt;
    const { answer } = isOver ? await ports.waits.expire(at.path, nothing(ports.now())) : wait;
    if (!answer) return awaiting(wait);
    if (answer.choice === null) throw noAnswer(timeoutMinutes);
    return { output: answer.values };
  },
});

/** Of a callback, the choice says only that it came. */
const nothing = (at: Date) => ({
  choice: null,
  values: null,
  comment: null,
  answeredBy: null,
  answeredAt: at.toISOString(),
});

async function send(
  request: PlannedRequest,
  timeoutMs: number,
  { ports, signal }: Pick<StepPerforming<unknown>, 'ports' | 'signal'>,
): Promise<void> {
  const answer = await ports.fetch({ ...request, timeoutMs, signal });
  if (answer.status >= 400) throw httpStatusError('The server of the announcement', answer);
}

function withAddress({ url, headers, body, method }: PlannedRequest, address: string): PlannedRequest {
  const filled = (text: string) =>
    text
      .replaceAll(placeholder, () => address)
      .replaceAll(encodeURIComponent(placeholder), () => encodeURIComponent(address));
  return {
    url: filled(url),
    method,
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, filled(value)])),
    body: body === undefined ? undefined : filled(body),
  };
}
