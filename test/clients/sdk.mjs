// Drives the service with an official TypeScript SDK client: `node sdk.mjs v1|v2`, with the RPC address in `rpc`
// and a key in `key`. Prints its steps and exits with 1 if a response differs from the contract.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const line = process.argv[2];
const sdk = line === 'v1'
  ? { ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')) }
  : await import('@modelcontextprotocol/client');

const address = new URL(process.env.rpc);
const transport = (key) => new sdk.StreamableHTTPClientTransport(address, { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const text = (result) => result.content[0].text;
// The tools with the arguments of each.
const built = JSON.parse(readFileSync(new URL('calls.json', import.meta.url)));
const later = {
  explain: { query: 'What is ROAS?' }, ask: { question: 'How was last week?' },
  manage: { action: 'create_annotation', params: { date: '2026-01-05', label: 'sale' } },
  propose_budget_shift: { platform: 'facebook', platform_campaign_id: '1', new_budget_value: 5000 },
  pause_campaign: { platform: 'facebook', platform_campaign_id: '1' }, resume_campaign: { platform: 'facebook', platform_campaign_id: '1' },
};

const client = new sdk.Client({ name: 'suite', version: '1.0.0' });
await client.connect(transport(process.env.key));
const { tools } = await client.listTools();
assert.equal(tools.length, 29);

for (const { name } of tools) {
  const result = await client.callTool({ name, arguments: built[name] ?? later[name] ?? {} });
  assert.equal(result.content[0].type, 'text', name);
  if (!(name in built)) {
    assert.match(text(result), /not available yet/, `${name}: ${text(result)}`);
    continue;
  }
  assert.ok(!result.isError, `${name}: ${text(result)}`);
  assert.deepEqual(result.structuredContent, JSON.parse(text(result)), `${name}: structuredContent is the text's object`);
}
const csv = await client.callTool({ name: 'performance', arguments: { format: 'csv' } });
assert.equal(csv.structuredContent, undefined);
const wrong = await client.callTool({ name: 'campaigns', arguments: { limit: 101 } });
assert.ok(wrong.isError && /limit/.test(text(wrong)), 'a wrong value names its parameter');
await assert.rejects(() => client.callTool({ name: 'nope', arguments: {} }), /-32602|400/);
await assert.rejects(() => client.ping(), (e) => e.code === -32601);

const { resources } = await client.listResources();
for (const { uri } of resources.slice(0, 3)) assert.ok((await client.readResource({ uri })).contents.length > 0, uri);
const { prompts } = await client.listPrompts();
for (const { name } of prompts) assert.ok((await client.getPrompt({ name, arguments: {} })).messages.length > 0, name);

const many = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: 'discover', arguments: {} })));
assert.ok(many.every((r) => !r.isError));
await client.close();
await assert.rejects(() => new sdk.Client({ name: 'suite', version: '1.0.0' }).connect(transport(`asy_${'A'.repeat(36)}`)));
console.log(`TypeScript SDK ${line}: 29 tools listed, ${Object.keys(built).length} built ones called, refusals as in the contract`);
process.exit(0);
