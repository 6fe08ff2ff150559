import { Command } from 'commander';

export function openApiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI document of the HTTP API')
    .option('--url <url>', 'address at which callers reach the service', '')
    .addHelpText('after', '\nExample:\n  tankwatch openapi --url https://tanks.example.com > openapi.json')
    .action(async (options: { url: string }) => {
      const { openApiDocument } = await import('../api/openapi/openapi.ts');
      console.log(JSON.stringify(openApiDocument(options.url), null, 2));
    });
}
