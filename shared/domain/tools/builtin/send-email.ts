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
    to: z.array(z.string().min(3).max(500)).min(1).max(50),
    subject: z.string().min(1).max(998),
    text: z.string().max(500_000).optional(),
    html: z.string().max(500_000).optional(),
  }),
  defaultConfig: {},
  documentationUrl: null,
});
