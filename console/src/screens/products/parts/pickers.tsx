import { useId } from 'react';
import { usePages } from '../../../api/queries.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';

/** Draws the members `flowId` and `agentId` of a form: lists of names in the place of ids. */
export const targetFields = ({ name, ...field }: CustomField) =>
  name === 'flowId' ? <FlowChoice {...field} /> : name === 'agentId' ? <AgentChoice {...field} /> : undefined;

type Field = Omit<CustomField, 'name'>;

const FlowChoice = (field: Field) => (
  <NameChoice {...field} label={sharedTexts.flow} pages={usePages('flows.list', {}, { limit: 100 })} />
);
const AgentChoice = (field: Field) => (
  <NameChoice {...field} label={sharedTexts.agent} pages={usePages('agents.list', {}, { limit: 100 })} />
);

interface Named {
  id: string;
  name: string;
}

interface Props extends Omit<Field, 'label'> {
  label: string;
  pages: {
    rows: readonly Named[] | undefined;
    error: Error | null;
    hasNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}

function NameChoice({ label, pages, value, onChange, problem }: Props) {
  const id = useId();
  const { rows = [], error, hasNextPage, fetchNextPage } = pages;
  const chosen = typeof value === 'string' ? value : '';
  const isUnknown = chosen !== '' && !rows.some((row) => row.id === chosen);
  return (
    <div id={id}>
      <Choice
        label={label}
        value={chosen}
        options={[
          { value: '', label: sharedTexts.none },
          ...rows.map((row) => ({ value: row.id, label: row.name.slice(0, 120) })),
          ...(isUnknown ? [{ value: chosen, label: chosen }] : []),
        ]}
        onChange={(next) => onChange(next === '' ? undefined : next)}
        problem={problem ?? (error ? productTexts.listCannotBeRead : undefined)}
      />
      {hasNextPage && (
        <Button look="quiet" onPress={() => fetchNextPage()}>
          {productTexts.moreInList}
        </Button>
      )}
    </div>
  );
}
