import { usePages } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import type { CustomField } from '../../ui/schema-form/form-context.ts';

/** Draws the members `agentIds` and `flowIds` of a form: chosen by name. */
export function targetsField({ name, value, onChange, problem }: CustomField) {
  if (name !== 'agentIds' && name !== 'flowIds') return undefined;
  const chosen: string[] = Array.isArray(value) ? value : [];
  const props = { chosen, onChange, problem };
  return name === 'agentIds' ? <Agents {...props} /> : <Flows {...props} />;
}

interface Props {
  chosen: readonly string[];
  onChange: (value: unknown) => void;
  problem: string | undefined;
}

const Agents = (props: Props) => (
  <Targets {...props} title={sharedTexts.agents} pages={usePages('agents.list')} />
);
const Flows = (props: Props) => (
  <Targets {...props} title={sharedTexts.flows} pages={usePages('flows.list')} />
);

interface TargetsProps extends Props {
  title: string;
  pages: {
    rows: readonly { id: string; name: string }[] | undefined;
    error: Error | null;
    hasNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}

function Targets({ title, pages, chosen, onChange, problem }: TargetsProps) {
  const { rows = [], error } = pages;
  const unknown = chosen.filter((id) => !rows.some((row) => row.id === id)).map((id) => ({ id, name: id }));
  const put = (id: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset>
      <legend>{title}</legend>
      {problem && <p className="problem">{problem}</p>}
      {error && <FailureNotice error={error} />}
      {!error && rows.length + unknown.length === 0 && <p className="help">{settingsTexts.noneYet}</p>}
      {[...unknown, ...rows].map(({ id, name }) => (
        <CheckField
          key={id}
          label={<bdi>{name}</bdi>}
          isOn={chosen.includes(id)}
          onChange={(isOn) => put(id, isOn)}
        />
      ))}
      {pages.hasNextPage && (
        <Button look="quiet" onPress={() => pages.fetchNextPage()}>
          {sharedTexts.showMore}
        </Button>
      )}
    </fieldset>
  );
}
