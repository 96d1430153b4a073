package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// The rules of the repository, as tests (CONTRIBUTING.md tells them in words).

const root = "../.."

// core are the packages that decide: what they come to must be the same on
// every machine, so that any moment of a log can be replayed bit for bit.
var core = []string{"binder", "projector", "projector/fact"}

// banned are imports that would let a clock, a disk, a network, chance, a
// logger or a metric into the core.
var banned = []string{
	"context", "crypto/rand", "log", "log/slog", "math/rand", "math/rand/v2", "net", "os", "sync",
	"github.com/nats-io", "github.com/prometheus", "go.etcd.io/bbolt",
	"k8s.io/client-go", "k8s.io/component-helpers", "k8s.io/klog",
}

// arrows say which of our own packages a package may import, by folder;
// folders that are not named are free.
var arrows = map[string][]string{
	"eventlog":         {},
	"projector/fact":   {"eventlog"},
	"projector":        {"eventlog", "projector/fact"},
	"binder":           {"eventlog", "projector", "projector/fact"},
	"api/kube":         {"eventlog", "projector", "projector/fact", "binder/executor"},
	"api/kube/kubesim": {},
}

// file is one file of the repository.
type file struct {
	path string
	data []byte
}

// tracked are all files that are or would be committed.
func tracked(t *testing.T) []file {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var files []file
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name, data})
	}
	return files
}

// goFiles are the tracked Go files, parsed.
func goFiles(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	for _, f := range tracked(t) {
		if path.Ext(f.path) != ".go" || strings.Contains(f.path, "testdata/") {
			continue
		}
		tree, err := parser.ParseFile(fset, f.path, f.data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		parsed[f.path] = tree
	}
	return fset, parsed
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

func TestRepoPackagesAreDocumentedOnce(t *testing.T) {
	_, files := goFiles(t)
	docs := map[string][]string{}
	for name, tree := range files {
		dir := path.Dir(name)
		if isTest(name) {
			continue
		}
		if _, there := docs[dir]; !there {
			docs[dir] = nil
		}
		if tree.Doc != nil {
			docs[dir] = append(docs[dir], name)
		}
	}
	for dir, named := range docs {
		if len(named) != 1 {
			t.Errorf("package %s: got %d package comments %v, want 1", dir, len(named), named)
		}
	}
}

func TestRepoNamesSayWhatIsInside(t *testing.T) {
	empty := []string{"util", "utils", "common", "types", "helpers", "helper", "misc", "internal", "pkg"}
	for _, f := range tracked(t) {
		for part := range strings.SplitSeq(strings.TrimSuffix(f.path, ".go"), "/") {
			if slices.Contains(empty, part) {
				t.Errorf("%s: the name %q says nothing; name the noun", f.path, part)
			}
		}
	}
}

func TestRepoCoreIsPure(t *testing.T) {
	fset, files := goFiles(t)
	for name, tree := range files {
		if !slices.Contains(core, path.Dir(name)) || isTest(name) {
			continue
		}
		for _, spec := range tree.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			for _, ban := range banned {
				if imported == ban || strings.HasPrefix(imported, ban+"/") {
					t.Errorf("%s imports %s: a decision must be a pure function of the log", name, imported)
				}
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: goroutine in the core", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				if ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "Tick"}, n.Sel.Name) {
					t.Errorf("%s: time.%s in the core: all time it knows is recorded time", fset.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestRepoImportArrows(t *testing.T) {
	_, files := goFiles(t)
	for name, tree := range files {
		dir := path.Dir(name)
		if isTest(name) {
			continue
		}
		allowed, bound := arrows[dir]
		for _, spec := range tree.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if strings.HasPrefix(imported, "k8s.io/kubernetes") && !strings.HasPrefix(dir, "e2e") {
				t.Errorf("%s imports %s: only e2e may", name, imported)
			}
			own, ours := strings.CutPrefix(imported, "bindery/")
			if ours && bound && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s: the arrow goes the other way", name, imported)
			}
		}
	}
}

func TestRepoFilesAreShort(t *testing.T) {
	for _, f := range tracked(t) {
		if path.Ext(f.path) == ".go" && bytes.Count(f.data, []byte("\n")) > 600 {
			t.Errorf("%s: got %d lines, want at most 600: split it by noun", f.path, bytes.Count(f.data, []byte("\n")))
		}
	}
}

func TestRepoDependenciesHaveAReason(t *testing.T) {
	for _, f := range tracked(t) {
		if path.Base(f.path) != "go.mod" {
			continue
		}
		mod, err := modfile.Parse(f.path, f.data, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, require := range mod.Require {
			reason := ""
			for _, c := range append(require.Syntax.Before, require.Syntax.Suffix...) {
				reason += strings.TrimSpace(strings.TrimPrefix(c.Token, "//"))
			}
			if !require.Indirect && reason == "" {
				t.Errorf("%s: %s has no comment that says what it is for", f.path, require.Mod.Path)
			}
			if f.path == "go.mod" && (require.Mod.Path == "k8s.io/kubernetes" || strings.HasPrefix(require.Mod.Path, "go.etcd.io/etcd/server")) {
				t.Errorf("%s: %s belongs in e2e/go.mod only", f.path, require.Mod.Path)
			}
		}
	}
}

func TestRepoHoldsNothingOfAMachine(t *testing.T) {
	// Put together here, so that this file does not hold them itself.
	words := []string{"/ro" + "ot/", "/wo" + "rk/", "/ho" + "me/", "proxy.golang" + ".org", "sum.golang" + ".org", "registry.npmjs" + ".org"}
	for _, f := range tracked(t) {
		if path.Base(f.path) == "go.sum" {
			continue
		}
		for n, line := range strings.Split(string(f.data), "\n") {
			for _, word := range words {
				if strings.Contains(line, word) {
					t.Errorf("%s:%d names %s", f.path, n+1, word)
				}
			}
		}
	}
}

func TestRepoExportedNamesAreDocumented(t *testing.T) {
	fset, files := goFiles(t)
	for name, tree := range files {
		if isTest(name) || tree.Name.Name == "main" {
			continue
		}
		for _, decl := range tree.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !wellKnown(d) {
					t.Errorf("%s: %s has no comment", fset.Position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				undocumented(fset, d, t)
			}
		}
	}
}

// wellKnown are methods that an interface of the standard library explains.
func wellKnown(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "Is", "String"}, d.Name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	expr := d.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if index, ok := expr.(*ast.IndexExpr); ok {
		expr = index.X
	}
	ident, ok := expr.(*ast.Ident)
	return ok && ident.IsExported()
}

func undocumented(fset *token.FileSet, d *ast.GenDecl, t *testing.T) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				t.Errorf("%s: %s has no comment", fset.Position(s.Pos()), s.Name.Name)
			}
		case *ast.ValueSpec: // a group's comment is enough for its members
			if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				t.Errorf("%s: %s has no comment", fset.Position(s.Pos()), s.Names[0].Name)
			}
		}
	}
}
