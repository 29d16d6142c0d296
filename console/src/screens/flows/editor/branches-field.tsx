import { editorTexts } from '../../../texts/flow-editor.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { joined } from '../../../ui/schema-form/paths.ts';
import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import { branchNames } from '../steps/lists.ts';
import { HeldStepsField, type HoldingStep } from './held-steps-field.tsx';

interface Props extends HoldingStep {
  holderId: string;
  path: string;
  value: unknown;
  onChange: (branches: readonly JsonObject[]) => void;
}

/** How many branches a parallel step has. */
const [least, most] = [2, 20];

/** The branches of a parallel step: their names, and the steps of each. */
export function BranchesField({ holderId, path, value, onChange, ...holding }: Props) {
  const branches = Array.isArray(value) ? value.map((branch) => (isObject(branch) ? branch : {})) : [];
  const names = branchNames({ config: { branches } });
  const put = (index: number, members: JsonObject) =>
    onChange(branches.with(index, { ...branches[index], ...members }));
  return (
    <fieldset>
      <legend>{editorTexts.branches}</legend>
      {holding.findings.problems[path] && <p className="problem">{holding.findings.problems[path]}</p>}
      {branches.map(({ steps }, index) => {
        const place = joined(path, index);
        const name = names[index] || editorTexts.branchNumber(index + 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other identity
          <fieldset key={index} className="flows-branch">
            <legend>{name}</legend>
            <TextField
              label={editorTexts.branchName}
              problem={holding.findings.problems[joined(place, 'name')]}
              value={names[index] ?? ''}
              onChange={(changed) => put(index, { name: changed })}
            />
            <HeldStepsField
              {...holding}
              label={editorTexts.stepsOf(name)}
              path={joined(place, 'steps')}
              within={{ holderId, name: `branches.${index}.steps` }}
              value={steps}
              onChange={(changed) => put(index, { steps: changed })}
            />
            {branches.length > least && (
              <Button
                look="quiet"
                onPress={() => onChange(branches.toSpliced(index, 1))}
                aria-label={editorTexts.removeBranch(name)}
              >
                {editorTexts.removeThisBranch}
              </Button>
            )}
          </fieldset>
        );
      })}
      {branches.length < most && (
        <Button onPress={() => onChange([...branches, { name: freeName(names), steps: [] }])}>
          {editorTexts.addBranch}
        </Button>
      )}
    </fieldset>
  );
}

/** The API takes names of variables. */
function freeName(names: readonly string[]): string {
  let number = names.length + 1;
  while (names.includes(`branch${number}`)) number++;
  return `branch${number}`;
}
