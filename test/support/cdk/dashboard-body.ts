import type { Template } from 'aws-cdk-lib/assertions';

/** A widget as CloudWatch takes it. */
export interface Widget {
  readonly type: string;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

/** A dashboard as CloudWatch takes it. */
export interface DashboardBody {
  readonly start?: string;
  readonly widgets: readonly Widget[];
}

/** The only dashboard's body; references become the logical ids that they are to. */
export function dashboardBody(template: Template): DashboardBody {
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const body = dashboard?.Properties.DashboardBody;
  const parts = (typeof body === 'string' ? [body] : body['Fn::Join'][1]) as readonly unknown[];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : referenceOf(part))).join(''));
}

function referenceOf(part: unknown): string {
  const [value] = Object.values(part as Record<string, unknown>);
  return [value].flat()[0] as string;
}

/** The metrics of all widgets: those of expressions, too, not the expressions themselves. */
export function widgetMetrics({ widgets }: DashboardBody) {
  return widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap((entry) => {
      const texts = entry.filter((one): one is string => typeof one === 'string');
      if (texts.length < 2) return [];
      const [namespace, name, ...pairs] = texts;
      const dimensions: Record<string, unknown> = {};
      for (let i = 0; i < pairs.length; i += 2) dimensions[pairs[i]!] = pairs[i + 1];
      return [{ namespace: namespace!, name: name!, dimensions }];
    });
}
