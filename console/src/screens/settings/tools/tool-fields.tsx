import { schemas } from 'virtual:body-schemas';
import { lazy, Suspense, useMemo } from 'react';
import { settingsTexts } from '../../../texts/settings.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { type CustomField, useForm } from '../../../ui/schema-form/form-context.ts';
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { isObject, type JsonSchema, resolved } from '../../../ui/values/schema.ts';
import { targetFields } from '../../products/parts/pickers.tsx';

const CodeEditor = lazy(async () => ({
  default: (await import('../../../ui/code/code-editor.tsx')).CodeEditor,
}));

/** @param type The type of a tool that is changed, whose config the body of a change leaves open. */
export const toolFields = (type?: string) => (field: CustomField) => {
  const { name, path, schema, value, onChange, problem } = field;
  if (path === 'config' && type !== undefined)
    return <Config type={type} value={value} onChange={onChange} />;
  if (name !== 'code') return targetFields(field);
  return (
    <Suspense fallback={<Loading />}>
      <CodeEditor
        label={settingsTexts.script}
        help={schema.description}
        language="javascript"
        value={typeof value === 'string' ? value : ''}
        onChange={onChange}
        problem={problem}
      />
    </Suspense>
  );
};

const ofConfig = toolFields();

function Config({ type, value, onChange }: Pick<CustomField, 'value' | 'onChange'> & { type: string }) {
  const { problems } = useForm();
  const schema = useMemo(() => configSchemaOf(type), [type]);
  return (
    <fieldset>
      <legend>{settingsTexts.config}</legend>
      <SchemaForm
        schema={schema}
        problems={problems}
        onChange={onChange}
        path="config"
        value={isObject(value) ? value : {}}
        custom={ofConfig}
      />
    </fieldset>
  );
}

/** As the body of a new tool of the type has it. */
function configSchemaOf(type: string): JsonSchema {
  const whole: JsonSchema = schemas['tools.create'];
  const body = (whole.oneOf ?? [])
    .map((each) => resolved(each, whole))
    .find(({ properties }) => properties?.toolType?.const === type);
  return { ...resolved(body?.properties?.config ?? {}, whole), $defs: whole.$defs ?? {} };
}
