using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using Tankwatch;

/// <summary>Reads a page, sends a bulk, follows the feed, and changes a customer on a condition, with the generated client.</summary>
public static class Program
{
    public static void Main(string[] args)
    {
        Run(args[0], args[1]).GetAwaiter().GetResult();
    }

    private static async Task Run(string url, string key)
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Add("X-API-Key", key);
        var client = new Client(http) { BaseUrl = url + "/" };
        var page = await client.ListCustomersAsync(page: 1, size: 5);
        Console.WriteLine("page " + page.Data.Count + " of " + page.Total_items);

        var line = "{\"external_key\":\"CS-1\",\"name\":\"C#\",\"email\":\"cs@example.com\"}\n";
        using (var answer = await client.PutCustomersAsync(new MemoryStream(Encoding.UTF8.GetBytes(line))))
            Console.WriteLine("bulk " + answer.StatusCode);

        var ids = new HashSet<string>();
        string after = null;
        for (var hasMore = true; hasMore;)
        {
            var changes = await client.ListChangesAsync(types: "customer,tank", size: 500, after: after);
            foreach (var change in changes.Data) ids.Add(change.Id);
            after = changes.Next;
            hasMore = changes.Has_more;
        }
        var customer = await client.RetrieveCustomerByExternalKeyAsync("CS-1");
        Console.WriteLine("feed " + ids.Count + " " + ids.Contains(customer.Id));

        var patch = new CustomerPatch { Name = "C# " + DateTime.UtcNow.Ticks };
        var changed = await client.UpdateCustomerAsync(customer.Id, customer.Etag, patch);
        Console.WriteLine("changed " + (changed.Name == patch.Name));
        try
        {
            await client.UpdateCustomerAsync(customer.Id, customer.Etag, patch);
        }
        catch (ApiException error)
        {
            Console.WriteLine("refused " + error.StatusCode);
        }
    }
}
