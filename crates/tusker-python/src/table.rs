//! Tables in memory, as Arrow: other tools read them without a copy through the
//! Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use tusker_store::{Columns, Values};

/// A table whose columns are numbers or texts.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Joins the parts of a table, which have the same columns; there is at least one part.
    pub fn of(parts: impl IntoIterator<Item = Columns>) -> PyResult<Self> {
        let batches = parts.into_iter().map(batch).collect::<Result<Vec<_>, _>>();
        let batches = batches.map_err(fault)?;
        let schema = batches.first().map_or_else(|| Schema::empty().into(), RecordBatch::schema);
        Ok(Self { schema, batches })
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

#[pymethods]
impl Table {
    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.schema.index_of(name).is_ok()
    }

    /// A column as a list; `None` for missing values.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let at = self.schema.index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let list = PyList::empty(py);
        for batch in &self.batches {
            let column = batch.column(at).as_any();
            if let Some(column) = column.downcast_ref::<Float64Array>() {
                column.iter().try_for_each(|value| list.append(value))?;
            } else if let Some(column) = column.downcast_ref::<Int64Array>() {
                column.iter().try_for_each(|value| list.append(value))?;
            } else if let Some(column) = column.downcast_ref::<StringArray>() {
                column.iter().try_for_each(|value| list.append(value))?;
            }
        }
        Ok(list)
    }

    /// The table for another tool, which shares its memory. The types are ours, whatever is
    /// requested, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok::<_, ArrowError>);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        let columns = self.schema.fields().len();
        format!("<tusker.Table: {} rows x {columns} columns>", self.rows())
    }

    /// Its first rows, for `print`.
    fn __str__<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        own.py().import("tusker._text")?.call_method1("of_table", (own,))
    }

    /// As a pandas.DataFrame.
    fn to_pandas<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        own.py().import("tusker._text")?.call_method1("to_pandas", (own,))
    }

    /// As a polars.DataFrame.
    fn to_polars<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        own.py().import("tusker._text")?.call_method1("to_polars", (own,))
    }

    /// Its first rows, for notebooks.
    fn _repr_html_<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        own.py().import("tusker._html")?.call_method1("of_table", (own,))
    }

    /// The types of the columns for another tool.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(fault)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

fn batch(columns: Columns) -> Result<RecordBatch, ArrowError> {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .0
        .into_iter()
        .map(|(name, values)| {
            let array = array(values);
            let nullable = array.data_type() == &DataType::Float64;
            (Field::new(name.into_owned(), array.data_type().clone(), nullable), array)
        })
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

/// Numbers are not copied.
fn array(values: Values) -> ArrayRef {
    match values {
        Values::Int(values) => Arc::new(Int64Array::new(ScalarBuffer::from(values), None)),
        Values::Float(values) => {
            let nulls: NullBuffer = values.iter().map(|value| !value.is_nan()).collect();
            let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
            Arc::new(Float64Array::new(ScalarBuffer::from(values), nulls))
        }
        Values::Text(texts, rows) => {
            let rows = rows.iter().map(|&row| texts[row as usize].as_str());
            Arc::new(StringArray::from_iter_values(rows))
        }
    }
}

/// An error that only a bug of ours can cause.
fn fault(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
