import { contentAs, responseContent } from '../../../adapters/web/content.ts';
import { truncate } from '../../../core/text.ts';
import { fetchUrlTool } from '../../../domain/tools/builtin/fetch-url.ts';
import { httpStatusError } from '../../step-support/http-request.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

const timeoutMs = 20_000;

export const fetchUrlToolRunner = defineBuiltinRunner(fetchUrlTool, {
  async perform({ url, format = 'auto', maxCharacters = 50_000 }, { ports, signal }) {
    const answer = await ports.fetch({ url: url.trim(), method: 'GET', headers: {}, timeoutMs, signal });
    if (answer.status >= 400) throw httpStatusError(answer.url, answer);
    const reading = { ...ports, signal };
    const content = await (format === 'auto'
      ? responseContent(answer, reading)
      : contentAs[format](answer, reading));
    const isCut = typeof content === 'string' && content.length > maxCharacters;
    if (isCut) {
      const message = `The content of ${answer.url} is cut at ${maxCharacters} characters`;
      ports.warn({ code: 'CONTENT_CUT', message });
    }
    return {
      output: {
        url: answer.url,
        contentType: answer.headers['content-type'] ?? null,
        content: isCut ? truncate(content, maxCharacters) : content,
        truncated: isCut,
      },
    };
  },
});
