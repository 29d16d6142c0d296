import { OperationError, printNote, runOperation } from './deployment/operation.ts';

const usage = `npm run new endpoint <group> <verb>    adds GET /v1/<group>/{id}/<verb>, which returns the item
       npm run new step-type <name>           adds a type of step that renders a text and counts its characters`;

/** Writes the files of an endpoint or of a step type, which work as they are, and names what to change. */
async function main(): Promise<void> {
  const [kind, ...names] = process.argv.slice(2);
  if (kind === 'endpoint' && names.length === 2) {
    const { newEndpoint } = await import('./new/endpoint.ts');
    const [group = '', verb = ''] = names;
    return report(await newEndpoint(group, verb));
  }
  if (kind === 'step-type' && names.length === 1) {
    const { newStepType } = await import('./new/step-type.ts');
    return report(newStepType(names[0] ?? ''));
  }
  throw new OperationError(`Name what to add.\nUsage: ${usage}`);
}

function report(paths: readonly string[]): void {
  for (const path of paths) printNote(path);
  printNote(
    '\nThese files work as they are. Change them to what you need, then run npm run check and npx vitest run.',
  );
}

await runOperation(main);
