import { sendEmailTool } from '../../../domain/tools/builtin/send-email.ts';
import { checkEmail } from '../../step-support/email.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

export const sendEmailToolRunner = defineBuiltinRunner(sendEmailTool, {
  perform: async ({ html = '', text = '', ...message }, { ports }) => ({
    output: await ports.messages.email(checkEmail({ ...message, html, text })),
  }),
});
