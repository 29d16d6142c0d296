import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { redactCredentials } from '../../core/redaction/credentials.ts';
import { waitForCallbackStep } from '../../domain/flows/step-types/wait-for-callback.ts';
import {
  type PlannedRequest,
  planRequest,
  requestTimeoutMs,
  sendRequest,
} from '../step-support/http-request.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';
import { noAnswer, suspendUntilAnswer } from '../step-support/wait-time.ts';

/** Stands for the address, which is known when the wait is open. */
const placeholder = 'https://callback.invalid/address';

export const waitForCallbackRunner = defineActingRunner(waitForCallbackStep, {
  async plan(step) {
    const { announce } = step.config;
    return { request: { announcement: announce && (await toAnnouncement(announce, placeholder, step)) } };
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
      // Rendered again: a filter is to see the address.
      const request = await toAnnouncement(announce, wait.callbackUrl ?? '', step);
      const timeoutMs = requestTimeoutMs(announce.http);
      await sendRequest(step, request, { who: () => 'The server of the announcement', timeoutMs }).catch(
        rethrowWithoutAddress,
      );
      await ports.waits.announced(at.path);
    }
    const expiresAt = new Date(wait.expiresAt);
    const isOver = !wait.answer && ports.now() >= expiresAt;
    const { answer } = isOver ? await ports.waits.expire(at.path, nothing(ports.now())) : wait;
    if (!answer) return suspendUntilAnswer(wait);
    if (answer.choice === null) throw noAnswer(timeoutMinutes);
    return { output: answer.values };
  },
});

/** Whoever reads the error could answer. */
function rethrowWithoutAddress(error: unknown): never {
  if (error instanceof StepError) error.message = redactCredentials(error.message);
  throw error;
}

const toAnnouncement = (
  { http }: { http: Parameters<typeof planRequest>[0] },
  callbackUrl: string,
  { variables, ports }: Pick<StepPlanning<unknown>, 'variables' | 'ports'>,
): Promise<PlannedRequest> => planRequest(http, createFiller({ ...variables, callbackUrl }, ports.sandbox));

/** Of a callback, the choice says only that it came. */
const nothing = (at: Date) => ({
  choice: null,
  values: null,
  comment: null,
  answeredBy: null,
  answeredAt: at.toISOString(),
});
