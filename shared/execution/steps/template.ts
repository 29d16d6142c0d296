import { createFiller } from '../../adapters/templates/filler.ts';
import { templateStep } from '../../domain/flows/step-types/template.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const templateRunner = defineFreeRunner(templateStep, {
  async run({ config, variables, renderValue, ports, emit }) {
    const inputs = (await renderValue(config.inputs ?? {})) as object;
    const text = await createFiller({ ...variables, ...inputs }, ports.sandbox).render(config.template);
    if (emit && config.streamOutput) {
      await emit({ type: 'text_start' });
      await emit({ type: 'text_delta', delta: text });
      await emit({ type: 'text_complete', text });
    }
    if (emit && config.asArtifact) {
      await emit({
        type: 'custom',
        name: 'artifact',
        value: { format: config.outputFormat ?? 'text', content: text },
      });
    }
    return { output: text };
  },
});
