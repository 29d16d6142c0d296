import * as z from 'zod';
import { defineBuiltinTool } from './builtin-tool.ts';

export const sendEmailTool = defineBuiltinTool({
  id: 'send-email',
  name: 'Send email',
  description: 'Sends an email through Amazon SES.',
  category: 'messages',
  services: [],
  permission: null,
  effects: true,
  repeatable: false,
  takesSecrets: false,
  parameters: z.strictObject({
    from: z.string().min(3).max(500).meta({ description: 'An address that is verified in SES' }),
    to: z
      .array(z.string().min(3).max(500))
      .min(1)
      .max(50)
      .meta({ description: 'The addresses of the recipients, such as ada@example.com' }),
    subject: z.string().min(1).max(998).meta({ description: 'The subject, in one line' }),
    text: z
      .string()
      .max(500_000)
      .optional()
      .meta({ description: 'The message as plain text. Required without html' }),
    html: z
      .string()
      .max(500_000)
      .optional()
      .meta({ description: 'The message as HTML. With text, mail programs choose between the two' }),
  }),
  defaultConfig: {},
  documentationUrl: null,
});
