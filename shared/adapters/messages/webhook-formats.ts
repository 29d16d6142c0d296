/**
 * What a webhook is sent: our own event, or the message of a chat that its incoming webhooks take.
 *
 * Slack takes `{text, blocks}`, Teams a message with an Adaptive Card. Both refuse anything else, so the format follows from the
 * host of the address unless somebody states it (D296). The event is what is stored; the message is made from it at each attempt.
 * The texts of tenants stand in elements without markup: a mention or a link in a question stays text.
 * Slack refuses a section of more than 3,000 characters, more than 50 blocks, and about 13,000 characters in all of them; Teams a
 * message of more than 28 KB. Longer texts are cut, because whoever follows the link reads them whole. Pure.
 */
import { truncate } from '../../core/text.ts';

export const webhookFormats = ['standard', 'slack', 'teams'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** Of a member of a request that states it. */
export const formatDescription =
  '`slack` and `teams`: the message that their incoming webhooks take, with a link to the console. Default: by the host of `webhookUrl`';

/** What a chat shows. */
export interface PostedMessage {
  title: string;
  texts: readonly string[];
  links: readonly { label: string; url: string }[];
}

/** `.webhook.office.com`: connectors of Teams. The others: webhooks of its workflows. */
const teamsHosts = ['.webhook.office.com', '.logic.azure.com', '.powerplatform.com'];

export function detectFormat(url: string): WebhookFormat {
  const host = URL.parse(url)?.hostname ?? '';
  if (host === 'hooks.slack.com') return 'slack';
  return teamsHosts.some((end) => host.endsWith(end)) ? 'teams' : 'standard';
}

/** @param event JSON text. */
export function toWebhookBody(
  event: string,
  { url, format = detectFormat(url) }: { url: string; format?: WebhookFormat | undefined },
  toMessage: () => PostedMessage,
): string {
  if (format === 'standard') return event;
  return JSON.stringify(format === 'slack' ? toSlackMessage(toMessage()) : toTeamsMessage(toMessage()));
}

const slack = { sectionMax: 3_000, headerMax: 150, charactersMax: 9_000 };

const toPlainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

/** In `text`, which notifications show, `&`, `<` and `>` begin markup: `<!channel>`. */
const escapeMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function toSlackMessage({ title, texts, links }: PostedMessage) {
  const sections = cutAll(texts, slack.charactersMax).flatMap((text) => splitText(text, slack.sectionMax));
  const buttons = links.map(({ label, url }, index) => ({
    type: 'button',
    action_id: `open-${index}`,
    text: toPlainText(label),
    url,
  }));
  return {
    text: escapeMarkup(truncate(title, slack.sectionMax)),
    blocks: [
      { type: 'header', text: toPlainText(truncate(title, slack.headerMax)) },
      ...sections.map((text) => ({ type: 'section', text: toPlainText(text) })),
      { type: 'actions', elements: buttons },
    ],
  };
}

const teamsBytesMax = 28_000;
/** Characters of JSON take one to six bytes. The last ones fit whatever they are. */
const teamsCharacters = [12_000, 6_000, 3_000, 1_500];

function toTeamsMessage(message: PostedMessage) {
  const made = teamsCharacters.map((charactersMax) => toCard(message, charactersMax));
  return made.find((card) => Buffer.byteLength(JSON.stringify(card)) <= teamsBytesMax) ?? made.at(-1);
}

/** Runs of text have no markup, blocks of text have. */
const toTextBlock = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

const toCard = ({ title, texts, links }: PostedMessage, charactersMax: number) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          toTextBlock(truncate(title, 300), { weight: 'Bolder', size: 'Medium' }),
          ...cutAll(texts, charactersMax).map((text) => toTextBlock(text)),
        ],
        actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
      },
    },
  ],
});

/** Cuts texts that have more characters together, without those that are empty. */
function cutAll(texts: readonly string[], charactersMax: number): string[] {
  let left = charactersMax;
  return texts.flatMap((text) => {
    if (text.trim() === '' || left <= 0) return [];
    const cut = text.length > left ? `${truncate(text, left)} …` : text.toWellFormed();
    left -= text.length;
    return [cut];
  });
}

function splitText(text: string, charactersMax: number): string[] {
  const parts: string[] = [];
  for (let rest = text; rest.length > 0; ) {
    const part = truncate(rest, charactersMax);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}
