import { expect, onTestFinished, test, vi } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { wires } from '../../../support/providers/index.ts';
import { startProvider } from '../../../support/providers/stand-in.ts';

const each = wires.map((wire) => ({ wire, name: wire.title, model: `${wire.provider}/${wire.modelId}` }));
const bothWays = each.flatMap((one) => [true, false].map((streamed) => ({ ...one, streamed })));
const soon = { 'retry-after-ms': '1' };

test.each(bothWays.flatMap((way) => [400, 401, 403, 404].map((status) => ({ ...way, status }))))(
  '$name, streamed $streamed: $status is not retried and shows the provider’s words',
  async ({ wire, model, streamed, status }) => {
    const { received, ask } = await startProvider(wire, { failing: [{ status }] });
    const failure = await stepFailure(ask({ streamed }));
    expect(failure.message).toContain(`${model} answered ${status}`);
    expect(failure.message).toContain(`Failure ${status}`);
    expect(failure.retryable).toBe(false);
    expect(received).toHaveLength(1);
  },
);

test.each(bothWays.flatMap((way) => [429, 500, 503, 529].map((status) => ({ ...way, status }))))(
  '$name, streamed $streamed: $status is retried twice, then the step may be',
  async ({ wire, model, streamed, status }) => {
    const failing = Array(3).fill({ status, headers: soon });
    const { received, ask } = await startProvider(wire, { failing });
    const failure = await stepFailure(ask({ streamed }));
    expect(failure.message).toContain(`${model} answered ${status}`);
    expect(failure.retryable).toBe(true);
    expect(received).toHaveLength(3);
  },
);

test.each(each.flatMap((one) => ['retry-after', 'retry-after-ms'].map((header) => ({ ...one, header }))))(
  '$name: waits as long as $header says, and then answers',
  async ({ wire, header }) => {
    const [value, ms] = header === 'retry-after' ? ['1', 1_000] : ['123', 123];
    const { received, ask } = await startProvider(wire, {
      failing: [{ status: 429, headers: { [header]: value } }],
    });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    expect((await ask({})).text).toBe('Hello Ada');
    expect(received).toHaveLength(2);
    expect(timers.mock.calls.map(([, delay]) => delay)).toContain(ms);
  },
);

test.each(bothWays)(
  '$name, streamed $streamed: a time-out ends the call',
  async ({ wire, model, streamed }) => {
    const timeout = new AbortController();
    const hangs = () => timeout.abort(new DOMException('Too late', 'TimeoutError'));
    const { received, ask } = await startProvider(wire, { hangs });
    const failure = await stepFailure(ask({ streamed, signal: timeout.signal }));
    expect(failure).toMatchObject({ message: `${model} did not answer in time`, retryable: true });
    expect(received).toHaveLength(1);
  },
);

/** How a stream may go wrong after its first frames. */
const faults = {
  'the connection breaks': { retryable: true, end: 'destroy' },
  'it ends without the last frames': { retryable: true, end: 'end' },
  'its JSON is malformed': { retryable: true, end: 'malformedFrame' },
  'the server reports an error': { retryable: true, end: 'errorFrame' },
} as const;

test.each(each.flatMap((one) => Object.entries(faults).map(([what, fault]) => ({ ...one, what, ...fault }))))(
  '$name: when $what, the step fails, may be retried, and nothing is requested again',
  async (one) => {
    const { wire, model, end, retryable } = one;
    const reply = { text: ['Hello ', 'Ada'] };
    const firstText = wire.frames(reply).findIndex((frame) => Buffer.from(frame).includes('Hello '));
    const { received, ask } = await startProvider(wire, {
      reply,
      async stream(response, frames) {
        for (const frame of frames.slice(0, Math.max(firstText, 0) + 1)) response.write(frame);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (end === 'destroy') return response.destroy();
        if (end !== 'end') response.write(wire[end]);
        return response.end();
      },
    });
    const failure = await stepFailure(ask({ streamed: true }));
    expect(failure.message).toContain(`${model} `);
    expect(failure.message).not.toContain('[object');
    expect(failure.message).not.toContain('undefined');
    expect(failure.retryable).toBe(retryable);
    expect(received).toHaveLength(1);
    if (end === 'errorFrame') expect(failure.message).toMatch(/overloaded|Too many requests/i);
  },
);
