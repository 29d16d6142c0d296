import * as z from 'zod';

/** What Slack says of blocks: https://docs.slack.dev/reference/block-kit/blocks, and of incoming webhooks. */
const plainText = (charactersMax: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(charactersMax),
    emoji: z.boolean().optional(),
  });

const Block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText(150) }),
  z.strictObject({ type: z.literal('section'), text: plainText(3_000) }),
  z.strictObject({
    type: z.literal('actions'),
    elements: z
      .array(
        z.strictObject({
          type: z.literal('button'),
          action_id: z.string().max(255),
          text: plainText(75),
          url: z.url().max(3_000),
        }),
      )
      .min(1)
      .max(25),
  }),
]);

const SlackMessage = z.strictObject({ text: z.string().max(40_000), blocks: z.array(Block).max(50) });

export function checkSlackMessage(body: string) {
  const message = SlackMessage.parse(JSON.parse(body));
  // Not documented: `msg_blocks_too_long`, at about 13,200 characters (slackapi/bolt-js#2509).
  const characters = message.blocks.reduce(
    (sum, block) => sum + ('text' in block ? block.text.text.length : 0),
    0,
  );
  if (characters > 13_000) throw new Error('msg_blocks_too_long');
  return message;
}

/** What Teams says of webhooks, and the schema of Adaptive Cards 1.4: https://adaptivecards.io/explorer. */
const TeamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          body: z
            .array(
              z.strictObject({
                type: z.literal('RichTextBlock'),
                inlines: z.array(
                  z.strictObject({
                    type: z.literal('TextRun'),
                    text: z.string(),
                    weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
                    size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
                  }),
                ),
              }),
            )
            .min(1),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() }))
            .max(6),
        }),
      }),
    )
    .length(1),
});

export function checkTeamsMessage(body: string) {
  if (Buffer.byteLength(body) > 28 * 1_024) throw new Error('Request Entity Too Large');
  const [attachment] = TeamsMessage.parse(JSON.parse(body)).attachments;
  if (!attachment) throw new Error('There is no card');
  return attachment.content;
}

/** Chats whose incoming webhooks refuse a body by an error. */
export const chatChecks: Readonly<Record<string, (body: string) => unknown>> = {
  slack: checkSlackMessage,
  teams: checkTeamsMessage,
};
