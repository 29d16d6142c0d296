import { expect, test } from 'vitest';
import {
  detectFormat,
  type PostedMessage,
  toWebhookBody,
} from '../../../../shared/adapters/messages/webhook-formats.ts';
import { checkSlackMessage, checkTeamsMessage } from '../../../support/servers/chat-webhooks.ts';

const message: PostedMessage = {
  title: 'Refunds asks',
  texts: ['Pay <!channel> *now*?', '', '[Ada](https://example.com)'],
  links: [{ label: 'Answer', url: 'https://flows.example.com/approvals#a' }],
};
const made = (format: 'slack' | 'teams', given: Partial<PostedMessage> = {}) =>
  toWebhookBody('{}', { url: 'https://example.com', format }, () => ({ ...message, ...given }));

test('the format follows from the host of the address', () => {
  expect(detectFormat('https://hooks.slack.com/services/T0/B0/x')).toBe('slack');
  expect(detectFormat('https://example.webhook.office.com/webhookb2/1')).toBe('teams');
  expect(detectFormat('https://prod-1.westeurope.logic.azure.com:443/workflows/1')).toBe('teams');
  expect(detectFormat('https://1.environment.api.powerplatform.com/workflows/1')).toBe('teams');
  for (const url of ['https://example.com/hooks.slack.com', 'https://hooks.slack.com.example.com', 'no url'])
    expect(detectFormat(url)).toBe('standard');
});

test('what somebody states comes before the host; the event itself is sent as it is', () => {
  const url = 'https://prod-1.westeurope.logic.azure.com/workflows/1';
  expect(toWebhookBody('{"type":"a"}', { url, format: 'standard' }, () => message)).toBe('{"type":"a"}');
  expect(JSON.parse(toWebhookBody('{}', { url }, () => message))).toHaveProperty('attachments');
});

test('texts of tenants have no markup in Slack, nor in Teams', () => {
  const { text, blocks } = checkSlackMessage(made('slack', { title: 'A <!channel> & B' }));
  expect(text).toBe('A &lt;!channel&gt; &amp; B');
  expect(blocks.flatMap((block) => (block.type === 'section' ? [block.text] : []))).toEqual([
    { type: 'plain_text', text: 'Pay <!channel> *now*?', emoji: false },
    { type: 'plain_text', text: '[Ada](https://example.com)', emoji: false },
  ]);
  expect(checkTeamsMessage(made('teams')).body.map(({ type }) => type)).toEqual(
    Array(3).fill('RichTextBlock'),
  );
});

test('long texts are cut to what Slack and Teams take, also of characters that are long in JSON', () => {
  for (const character of ['a', '\u0000', '"', '€', '😀']) {
    const long = { title: character.repeat(500), texts: [character.repeat(2_500), character.repeat(20_000)] };
    const { blocks } = checkSlackMessage(made('slack', long));
    expect(blocks.length).toBeGreaterThan(3);
    expect(checkTeamsMessage(made('teams', long)).body.length).toBeGreaterThan(1);
  }
});
