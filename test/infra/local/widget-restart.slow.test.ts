import { afterAll, afterEach, expect, test } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { noBrowser } from '../../support/console/browser.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';
import {
  answersIn,
  openWidget,
  questionsIn,
  shoot,
  widgetSite,
  writeMessage,
} from '../../support/surfaces/widget.ts';

const models = await startModelStandIn({ answer: (request) => scriptedAnswer(request) });
afterAll(() => models.close());
afterEach(killAll);

/** The members of the widget's config that follow a run, as its documentation says. */
const following = (apiUrl: string) => `{
  reconnectStream: ({ executionId, after, signal }) =>
    fetch('${apiUrl}/v1/client/executions/' + executionId + '/events?after=' + encodeURIComponent(after), {
      headers: { Authorization: 'Bearer ' + localStorage.getItem('session') },
      signal,
    }),
  reconnect: { backoffMs: Array(90).fill(1000) },
}`;

/** Ends a stream that breaks: with a token, the widget reconnects only after those that end without an error. */
const endingStreams = `
  const plain = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await plain(...asked);
    if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer;
    const reader = answer.body.getReader();
    const pull = async (stream) => {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done) stream.close();
      else stream.enqueue(value);
    };
    return new Response(new ReadableStream({ pull, cancel: () => reader.cancel() }), answer);
  };
`;

test.skipIf(noBrowser)(
  'the widget reconnects to its answer after the stack was killed in the middle of it and started again',
  async () => {
    const environment = { DATA_DIR: newDirectory(), GENERIC_OPENAI_BASE_URL: models.url };
    let stack = await start(environment);
    const { url } = stack.facts;
    const { call } = createClient({ baseUrl: url, apiKey: stack.facts.liveKey });
    const config = { model: 'generic-openai/any', loopConfig: { maxTurns: 5 } };
    const { id } = await call('agents.create', { body: { name: 'Chat', config } });
    const site = await widgetSite();
    const { token } = await call('client-tokens.create', {
      body: { name: 'Shop', agentIds: [id], allowedOrigins: [site.host] },
    });
    site.show({ apiUrl: url, clientToken: token }, following(url), endingStreams);
    const { page } = await openWidget(site.url);
    models.options.pieceDelayMs = 400;
    await writeMessage(page, 'one two three four five six seven eight nine ten');
    // The widget reconnects to answers of which it has shown something.
    await answersIn(page).getByText('You said: one').waitFor();
    stack.child.kill('SIGKILL');
    await shoot(page, 'widget-killed');
    models.options.pieceDelayMs = 0;
    stack = await start({ ...environment, PORT: new URL(url).port });
    await answersIn(page).getByText('nine ten').waitFor({ timeout: 90_000 });
    const whole = 'You said: one two three four five six seven eight nine ten';
    expect((await answersIn(page).allInnerTexts()).map((text) => text.trim())).toEqual([whole]);
    await shoot(page, 'widget-reconnected');
    expect(await questionsIn(page).count()).toBe(1);
    await writeMessage(page, 'And apples?');
    await answersIn(page).getByText('You said: And apples?').waitFor();
  },
  180_000,
);
