/** Words of PromQL that are not metrics. */
const WORDS = new Set(
  `and or unless on ignoring by without group_left group_right offset bool
   sum min max avg count topk quantile rate increase predict_linear min_over_time histogram_quantile absent label_replace time`.split(
    /\s+/,
  ),
);

export interface UsedNames {
  metrics: Set<string>;
  labels: Set<string>;
}

/** The metrics and labels that a query names. promtool checks the syntax of the query. */
export function namesIn(query: string): UsedNames {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const withoutTexts = query.replaceAll(/"[^"]*"/g, '""');
  const withoutSelectors = withoutTexts.replaceAll(/\{([^}]*)\}/g, (_all, inside: string) => {
    for (const [, label = ''] of inside.matchAll(/([A-Za-z_]\w*)\s*[=!]/g)) labels.add(label);
    return '';
  });
  const withoutGroups = withoutSelectors.replaceAll(
    /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g,
    (_all, inside: string) => {
      for (const [label] of inside.matchAll(/[A-Za-z_]\w*/g)) labels.add(label);
      return '';
    },
  );
  const withoutRanges = withoutGroups.replaceAll(/\[[^\]]*\]/g, '');
  for (const [name] of withoutRanges.matchAll(/(?<![\w.])[A-Za-z_:][\w:]*/g)) if (!WORDS.has(name)) metrics.add(name);
  return { metrics, labels };
}
