import type { StarterTemplate } from '../../templates/template.ts';
import { templates } from '../../templates/templates.ts';
import { useDefaultModel, useMissing } from '../../templates/use-needs.ts';
import { templateTexts } from '../../texts/templates.ts';
import { Link } from '../../ui/link.tsx';
import { TemplateCard } from './template-card.tsx';
import { useCreate } from './use-create.ts';
import '../../style/templates.css';

/** The templates, of which one click creates everything. */
export function Gallery({
  opens,
  level = 2,
}: {
  opens?: StarterTemplate['opens'] | undefined;
  level?: 2 | 3;
}) {
  const model = useDefaultModel();
  const lacks = useMissing(model);
  const { progress, failure, create } = useCreate();
  return (
    <>
      {model === 'stand-in' && (
        <p className="note">
          {templateTexts.standInAnswers((text) => (
            <Link to="/settings/provider-keys">{text}</Link>
          ))}
        </p>
      )}
      <div className="templates">
        {templates
          .filter((template) => !opens || template.opens === opens)
          .map((template) => (
            <TemplateCard
              key={template.id}
              template={template}
              level={level}
              missing={template.needs.filter((need) => lacks.includes(need))}
              progress={progress?.id === template.id ? progress : undefined}
              error={failure?.id === template.id ? failure.error : undefined}
              isIdle={progress !== undefined}
              onCreate={() => create(template)}
            />
          ))}
      </div>
    </>
  );
}
